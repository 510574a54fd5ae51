import { countOf } from '../../../kit/numbers.ts'

const dayMs = 86_400_000

/** The time before which a retention of so many days keeps nothing, as the input of a count. */
export function outlivedRange(days: number, nowMs: number) {
  return { start: '2000-01-01T00:00:00.000Z', end: new Date(nowMs - days * dayMs).toISOString(), buckets: 1 }
}

/** What a count of old exchanges says. It ends at the newest million. */
export function outlivedSentence(buckets: readonly { readonly count: number | null }[]): string {
  const counts = buckets.map(({ count }) => count)
  if (counts.includes(null)) return 'Now these are more than 1,000,000 exchanges.'
  const total = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
  if (total === 0) return 'Now there are none.'
  return total === 1 ? 'Now this is 1 exchange.' : `Now these are ${countOf(total, 'exchange')}.`
}
