import type { OutcomeCount } from './outcome-bars.ts'

/** Fewer failures than this say nothing about a trend. */
const few = 5
/** How many times as many as in the other half of the period count as a change. */
const clear = 1.5

interface Period {
  readonly from: string
  readonly to: string
}

/** Whether a cause became more or less frequent: the second half of the period against the first, in a word. */
export function trendText(series: readonly OutcomeCount[], cause: string, { from, to }: Period): string {
  const middleMs = (Date.parse(from) + Date.parse(to)) / 2
  const own = series.filter(({ outcome }) => outcome === cause)
  const sum = (counts: readonly OutcomeCount[]) => counts.reduce((total, { count }) => total + count, 0)
  const before = sum(own.filter(({ at }) => Date.parse(at) < middleMs))
  const after = sum(own) - before
  if (before + after < few) return 'too few to say'
  if (after > before * clear) return 'rising'
  return before > after * clear ? 'falling' : 'steady'
}
