export interface LoadOptions {
  readonly workspaceId: string
  readonly exchanges: number
  /** The exchanges are spread evenly over at most 29 days before this time, and expire after 30. */
  readonly untilMs: number
  readonly days: number
  /** False: rows without contents and their words, which are loaded much faster. By default true. */
  readonly hasContents?: boolean
}

/** The exchanges that expire on one day. */
export interface DayRange {
  readonly expiresOn: string
  /** The day after it. */
  readonly after: string
  /** Numbers; the lowest is the newest exchange. */
  readonly first: number
  readonly last: number
}

const dayMs = 86_400_000
const retentionMs = 30 * dayMs

/** When an exchange was created, from its number. The server computes it in the same way, with whole milliseconds. */
export function createdMs({ untilMs, days, exchanges }: LoadOptions, n: number): number {
  return untilMs - Number((BigInt(n) * BigInt(days * dayMs)) / BigInt(exchanges))
}

/** The days of expiry with their exchanges, the newest first. */
export function* dayRanges(options: LoadOptions): Generator<DayRange> {
  const dayOf = (n: number) => Math.floor((createdMs(options, n) + retentionMs) / dayMs)
  for (let first = 0; first < options.exchanges; ) {
    const day = dayOf(first)
    // The last number of the day, by bisection: numbers grow as times fall.
    let [last, beyond] = [first, options.exchanges]
    while (beyond - last > 1) {
      const middle = Math.floor((last + beyond) / 2)
      if (dayOf(middle) === day) last = middle
      else beyond = middle
    }
    yield { expiresOn: dateOf(day), after: dateOf(day + 1), first, last }
    first = last + 1
  }
}

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}
