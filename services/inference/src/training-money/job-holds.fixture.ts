import { randomUUID } from 'node:crypto'
import type { Pool } from '@ratchet/db/connect-pool'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { createExactWallets } from '../ledger/exact-wallets.ts'
import type { LedgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { createPgRecalls } from '../ledger/pg-escrow-store.ts'
import type { JobHolds } from './job-holds.ts'
import { createPgJobHolds, type PgJobHoldsOptions } from './pg-job-holds.ts'

/** The holds of jobs as one process serves them. */
export function openJobHolds(
  { pool }: Pick<LedgerDatabase, 'pool'>,
  options: Partial<Pick<PgJobHoldsOptions, 'keepMs' | 'statements' | 'onEvent'>> = {},
): JobHolds {
  return createPgJobHolds({
    pool,
    exact: createExactWallets({ store: createPgRecalls({ pool }), waitMs: 5_000 }),
    onEvent: () => undefined,
    newId: randomUUID,
    keepMs: dayMs,
    timeoutMs: 10_000,
    ...options,
  })
}

/** A job of a workspace, with the arguments of its calls. */
export function jobOf(workspaceId: string) {
  const [jobId, holdId] = [randomUUID(), randomUUID()]
  const named = { holdId, workspaceId }
  return {
    jobId,
    named,
    /** Another hold of the same job. */
    next: { holdId: randomUUID(), workspaceId },
    taking: (amountNano: bigint, hold = named) => ({
      ...hold,
      jobId,
      amountNano,
      model: 'sim/large',
      kind: 'training' as const,
    }),
    costing: (costNano: bigint, hold = named) => ({ ...hold, costNano, tokens: costNano * 2n }),
  }
}

/** What the ledger entered for a job, by the reason of the entries. */
export async function entriesOf(pool: Pool, jobId: string): Promise<readonly { reason: string; amount: string }[]> {
  const { rows } = await pool.query(
    `SELECT e.reason::text, e.amount::text FROM ledger_entry e JOIN billing_request b USING (request_id)
     WHERE b.job_id = $1 AND e.account = 'usage' ORDER BY e.id`,
    [jobId],
  )
  return rows
}

/** Lets the holds of a job run out. */
export async function expire(pool: Pool, jobId: string): Promise<void> {
  await pool.query(
    "UPDATE billing_request SET deadline = now() - interval '1 second' WHERE job_id = $1 AND state = 'open'",
    [jobId],
  )
}
