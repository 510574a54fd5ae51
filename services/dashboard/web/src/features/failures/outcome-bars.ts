import { failureCauseNames } from '@ratchet/contracts/failure-causes'
import { outcomeText } from '../../kit/outcome-text.ts'
import type { StackBar } from '../../pictures/stacks.ts'

/** How many requests of a time ended in one way. */
export interface OutcomeCount {
  readonly at: string
  readonly outcome: string
  readonly count: number
}

/** The times of a picture, and how they are written. */
export interface TimeAxis {
  /** Times that have a bar also when nothing happened. */
  readonly times: readonly string[]
  readonly textOf: (at: string) => string
}

interface Series {
  readonly name: string
  readonly label: string
}

export interface OutcomeBars {
  readonly bars: readonly StackBar[]
  readonly series: readonly Series[]
}

/** Causes with a colour of their own; the rest are one series. */
const maxCauses = 5

const endings: readonly Series[] = [
  { name: 'answered', label: 'answered' },
  { name: 'cached', label: 'answered from the cache' },
  { name: 'client_left', label: 'left by the client' },
  { name: 'failed', label: 'failed' },
]

/** Every request of the period: bars add up to the number of requests. */
export function requestBars(counts: readonly OutcomeCount[], axis: TimeAxis): OutcomeBars {
  const known = new Set(endings.map(({ name }) => name))
  return { bars: barsOf(counts, axis, (outcome) => (known.has(outcome) ? outcome : 'failed')), series: endings }
}

/** Failed requests by cause: the most frequent causes, and the others as one. Bars add up to the failed ones. */
export function causeBars(counts: readonly OutcomeCount[], axis: TimeAxis): OutcomeBars {
  const failed = counts.filter(({ outcome }) => isFailure(outcome))
  const total = (cause: string) => failed.reduce((sum, each) => (each.outcome === cause ? sum + each.count : sum), 0)
  const causes = [...new Set(failed.map(({ outcome }) => outcome))].sort((a, b) => total(b) - total(a))
  const own = new Set(causes.slice(0, maxCauses))
  const series = [...own].map((name) => ({ name, label: outcomeText(name) }))
  const rest = causes.length > maxCauses ? [{ name: 'others', label: 'other causes' }] : []
  return {
    bars: barsOf(failed, axis, (outcome) => (own.has(outcome) ? outcome : 'others')),
    series: [...series, ...rest],
  }
}

function isFailure(outcome: string): boolean {
  return outcome !== 'client_left' && (failureCauseNames as readonly string[]).includes(outcome)
}

function barsOf(
  counts: readonly OutcomeCount[],
  { times: axisTimes, textOf }: TimeAxis,
  seriesOf: (outcome: string) => string,
): readonly StackBar[] {
  const times = [...new Set([...axisTimes, ...counts.map(({ at }) => at)])].sort()
  return times.map((at) => {
    const amounts: Record<string, number> = {}
    for (const each of counts) {
      if (each.at === at) amounts[seriesOf(each.outcome)] = (amounts[seriesOf(each.outcome)] ?? 0) + each.count
    }
    const texts = Object.entries(amounts).map(([name, count]) => [name, String(count)])
    return { label: textOf(at), amounts: Object.fromEntries(texts) }
  })
}
