import { setTimeout as sleep } from 'node:timers/promises'

export interface StaysTrueOptions {
  /** Milliseconds between two checks; 20 when absent. */
  readonly everyMs?: number
}

/**
 * Checks for some time that `probe` neither throws (a failed `expect`) nor returns false or null.
 *
 * @param ms duration in milliseconds; a check that runs at its end is awaited
 * @throws Error at the first failed check, with the failure in its message and as its cause
 * @example await staysTrueFor(500, async () => (await readRun(id)).status === 'RUNNING')
 */
export async function staysTrueFor(
  ms: number,
  probe: () => unknown,
  { everyMs = 20 }: StaysTrueOptions = {},
): Promise<void> {
  const startedAt = performance.now()
  for (let left = ms; left > 0; left = ms - (performance.now() - startedAt)) {
    const failure = await failureOf(probe)
    if (failure !== null) {
      const after = Math.round(performance.now() - startedAt)
      throw new Error(`did not stay true for ${ms} ms; after ${after} ms: ${failure.message}`, { cause: failure })
    }
    await sleep(Math.max(0, Math.min(everyMs, ms - (performance.now() - startedAt))))
  }
}

async function failureOf(probe: () => unknown): Promise<Error | null> {
  try {
    const answer = await probe()
    return answer === false || answer === null ? new Error(`the probe answered ${answer}`) : null
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
