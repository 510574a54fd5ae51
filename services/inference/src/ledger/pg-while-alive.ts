import type { Pool } from '@ratchet/db/connect-pool'
import { createHeartbeat, withTimeout } from '@ratchet/service-kit/with-timeout'
import { LedgerUnavailable } from './ledger.ts'

/** When a statement that has not answered makes us ask whether the database is there at all. */
const probeAfterMs = 100

export interface AliveDeadline {
  /** Silence of the database, also to that question, after which it is not, milliseconds. */
  readonly silenceMs: number
  /** How long the statement may take of a database that is alive, milliseconds. */
  readonly maxMs: number
}

/**
 * The outcome of a statement that may take long of a database that is alive; a database that says nothing at all is
 * noticed once its silence has lasted `silenceMs`.
 *
 * @throws LedgerUnavailable when it is silent, or took longer than `maxMs`
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
