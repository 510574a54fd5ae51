import { count } from '../../kit/numbers.ts'
import { outcomeText } from '../../kit/outcome-text.ts'

interface Cause {
  readonly group: string | null
  readonly failed: number
}

const maxNamed = 3

/** The most frequent causes of failed requests, in words. The numbers add up to all failed ones. */
export function failureLine(causes: readonly Cause[], failed: number): string {
  const named = causes.toSorted((a, b) => b.failed - a.failed).slice(0, maxNamed)
  const parts = named.map(
    (cause) => `${cause.group === null ? 'not known' : outcomeText(cause.group)} ${count(cause.failed)}`,
  )
  const rest = failed - named.reduce((sum, cause) => sum + cause.failed, 0)
  return `Failed by cause: ${[...parts, ...(rest > 0 ? [`other causes ${count(rest)}`] : [])].join(', ')}.`
}
