import type { Pool } from '@ratchet/db/connect-pool'
import { createHeartbeat, withTimeout } from '@ratchet/service-kit/timing/with-timeout'
import { LedgerUnavailable } from './ledger.ts'

/** Milliseconds without an answer after which a probe checks whether the database answers at all. */
const probeAfterMs = 100

export interface AliveDeadline {
  /** Milliseconds without any answer, also to the probe, after which the database counts as unavailable. */
  readonly silenceMs: number
  /** Maximum milliseconds that the statement may take with a database that answers. */
  readonly maxMs: number
}

/**
 * The outcome of a statement that may take long while the database answers. A database that answers nothing is noticed
 * after `silenceMs`.
 *
 * @throws LedgerUnavailable when the database is silent, or the statement took longer than `maxMs`
 */
export async function whileAlive<T>(
  pool: Pick<Pool, 'query'>,
  work: Promise<T>,
  { silenceMs, maxMs }: AliveDeadline,
): Promise<T> {
  const pulse = createHeartbeat()
  const probing = setTimeout(probe, probeAfterMs)

  function probe(): void {
    pool.query('SELECT 1').then(
      () => pulse.beat(),
      () => undefined,
    )
    probing.refresh()
  }

  const onLate = (waitedMs: number) =>
    new LedgerUnavailable(`the database did not answer in ${Math.round(waitedMs)} ms`, { uncertain: true })
  try {
    return await withTimeout(work, { silenceMs, maxMs, pulse, onLate })
  } finally {
    clearTimeout(probing)
  }
}
