import { setTimeout as sleep } from 'node:timers/promises'

export interface EventuallyOptions {
  /** Milliseconds until it fails; by default half a minute, less than Jest's limit, whose message says less. */
  readonly withinMs?: number
  /** Milliseconds between two calls of the probe. */
  readonly everyMs?: number
}

/**
 * Calls `probe` until it holds: until it neither throws (a failed `expect`) nor returns false or null.
 *
 * @returns what the probe returned when it held
 * @throws Error with the last failure at the end of its message and as its cause after `withinMs`; also when the probe
 *   itself hangs
 * @example await eventually(() => expect(seen).toHaveLength(3))
 * @example const row = await eventually(() => findRow(id))
 */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  { withinMs = 30_000, everyMs = 20 }: EventuallyOptions = {},
): Promise<Exclude<Awaited<T>, false | null>> {
  const deadline = performance.now() + withinMs
  let last: unknown = new Error('the first check did not end')
  while (performance.now() < deadline) {
    try {
      const answer = await orLate(probe, deadline - performance.now())
      if (answer === late) break
      if (answer !== false && answer !== null) return answer as Exclude<Awaited<T>, false | null>
      last = new Error(`the probe answered ${answer}`)
    } catch (error) {
      last = error
    }
    await sleep(Math.min(everyMs, Math.max(0, deadline - performance.now())))
  }
  throw new Error(`did not hold within ${withinMs} ms; last: ${messageOf(last)}`, { cause: last })
}

const late = Symbol('late')

async function orLate<T>(probe: () => T | Promise<T>, ms: number): Promise<T | typeof late> {
  const timer = new AbortController()
  try {
    return await Promise.race([probe(), sleep(ms, late, { signal: timer.signal })])
  } finally {
    timer.abort()
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
