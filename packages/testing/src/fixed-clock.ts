export interface FixedClock {
  /** For `deps`; needs no `this`. */
  readonly now: () => Date
  /** Moves the clock forward or back by milliseconds. */
  advance(ms: number): void
  set(time: string): void
}

/**
 * A clock that stands still until the test moves it.
 *
 * @param start ISO 8601
 * @throws RangeError for a time that cannot be parsed
 */
export function fixedClock(start = '2026-11-21T12:00:00.000Z'): FixedClock {
  let at = parse(start)
  return {
    now: () => new Date(at),
    advance(ms) {
      at += ms
    },
    set(time) {
      at = parse(time)
    },
  }
}

function parse(time: string): number {
  const at = Date.parse(time)
  if (Number.isNaN(at)) throw new RangeError(`not a time: ${time}`)
  return at
}
