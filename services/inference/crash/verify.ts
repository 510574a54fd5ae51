import { auditLedger } from '@ratchet/db/audit-ledger'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Call, Evidence } from './evidence.ts'
import { notCovered } from './train-jobs.ts'
import { type CrashWallet, costOf, holdNano, judgementsPerRun, runMaximumNano } from './workload.ts'

export interface Verdict {
  /** Number of complete answers at a client whose request is not posted. */
  readonly ackedNotCharged: number
  /** Number of requests that were charged twice, at a wrong price, or although their client got an error. */
  readonly doubleOrWrong: number
  /** Every violation in words; empty when the money is right. */
  readonly violations: readonly string[]
  readonly postedRequests: number
  readonly latePosts: number
  readonly expiries: number
  readonly writtenOffNano: bigint
  /** Number of requests that were charged to a block. */
  readonly drawn: number
  /** Number of runs whose judges were charged. */
  readonly judgedRuns: number
}

interface RequestRow {
  readonly request_id: string
  readonly wallet_id: string
  readonly state: 'open' | 'posted' | 'voided'
  /** Null when it was charged to a block. */
  readonly hold: string | null
  readonly opened_at: Date
  readonly cost: string | null
  readonly write_off: string
  /** Whether a spend cap or a budget limits it. */
  readonly is_limited: boolean
}

/** Compares an idle ledger with the evidence. */
export async function verify(pool: Pool, evidence: Evidence, wallets: readonly CrashWallet[]): Promise<Verdict> {
  const { rows } = await pool.query<RequestRow>(
    `SELECT request_id, wallet_id, state::text, hold, opened_at, cost, write_off,
       cap_id IS NOT NULL OR budget_ids IS NOT NULL AS is_limited FROM billing_request
     UNION ALL SELECT request_id, wallet_id, 'posted', NULL, at, cost, write_off, false FROM charge`,
  )
  const requests = new Map(rows.map((row) => [row.request_id, row]))
  const poor = new Set(wallets.filter(({ size }) => size !== 'large').map(({ workspaceId }) => workspaceId))
  const notCharged = [...evidence.acked].filter((id) => requests.get(id)?.state !== 'posted')
  const wrong = [...evidence.acked].filter((id) => !isRightlyCharged(requests.get(id), poor))
  const chargedForNothing = [...evidence.released].filter((id) => (requests.get(id)?.cost ?? '0') !== '0')
  const blocks = await readBlocks(pool)
  const unheld = [...evidence.called].filter(([id, call]) => !wasHeld(call, requests.get(id), blocks)).map(([id]) => id)
  const audit = await auditLedger(pool)
  const jobs = await readJobs(pool)
  const runs = await readRuns(pool)
  const short = evidence.events.get(notCovered) ?? 0
  const violations = [
    ...list('jobs charged less than was answered', below(evidence.charged, jobs)),
    ...list('jobs charged more than they trained', below(jobs, evidence.trained)),
    ...(short === 0 ? [] : [`costs of jobs of rich wallets that were not charged: ${short}`]),
    ...list('runs whose judges were charged more than once for a question', chargedAgain(runs)),
    ...list('runs charged more than their maximum, with their judges', beyondMaximum(runs, jobs)),
    ...list('answers not charged', notCharged),
    ...list('charges of a wrong amount', wrong),
    ...list('errors charged', chargedForNothing),
    ...list('provider calls without a hold', unheld),
    ...list(
      'requests still open',
      rows.filter(({ state }) => state === 'open').map((row) => row.request_id),
    ),
    ...audit.violations.map(({ invariant, count, example }) => `${invariant}: broken ${count} times, e.g. ${example}`),
  ]
  const doubles = audit.violations.find(({ invariant }) => invariant === 'charged once, what it cost')?.count ?? 0
  return {
    ackedNotCharged: notCharged.length,
    doubleOrWrong: wrong.length + chargedForNothing.length + doubles,
    violations,
    postedRequests: rows.filter(({ state }) => state === 'posted').length,
    writtenOffNano: audit.writtenOffNano,
    drawn: rows.filter(({ hold }) => hold === null).length,
    judgedRuns: runs.length,
    ...(await entriesByReason(pool)),
  }
}

/**
 * A request that is not posted counts as not charged, not as wrong. Only a late settle on a wallet that runs out, under a
 * cap or under a budget may be lower.
 */
function isRightlyCharged(row: RequestRow | undefined, poor: ReadonlySet<string>): boolean {
  if (row?.state !== 'posted') return true
  const cost = costOf(row.request_id)
  const [charged, writtenOff] = [BigInt(row.cost ?? 0), BigInt(row.write_off)]
  const hold = BigInt(row.hold ?? holdNano)
  const due = cost < hold ? cost : hold
  return (
    charged + writtenOff === cost && (charged === due || (charged < due && (poor.has(row.wallet_id) || row.is_limited)))
  )
}

interface BlockRow {
  readonly wallet_id: string
  readonly owner_id: string
  readonly opened_at: Date
  readonly sealed_at: Date | null
}

async function readBlocks(pool: Pool): Promise<readonly BlockRow[]> {
  const { rows } = await pool.query<BlockRow>(
    'SELECT wallet_id, owner_id, opened_at, sealed_at FROM escrow_block WHERE amount > 0 OR charges > 0',
  )
  return rows
}

/** Times of Postgres are those of a transaction's start, rounded to milliseconds. */
const slackMs = 50

/**
 * Whether a hold was committed before the provider was called: a row that was there by then, or a block of that process
 * that was not sealed before the hold began.
 */
function wasHeld(
  { workspaceId, ownerId, fromMs, toMs }: Call,
  row: RequestRow | undefined,
  blocks: readonly BlockRow[],
): boolean {
  if (row !== undefined && row.hold !== null && row.opened_at.getTime() <= toMs + slackMs) return true
  return blocks.some(
    (block) =>
      block.wallet_id === workspaceId &&
      block.owner_id === ownerId &&
      block.opened_at.getTime() <= toMs + slackMs &&
      (block.sealed_at === null || block.sealed_at.getTime() >= fromMs - slackMs),
  )
}

/** What was charged to each training job. */
async function readJobs(pool: Pool): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await pool.query<{ job_id: string; cost: string }>(
    `SELECT b.job_id, sum(e.amount) AS cost FROM ledger_entry e JOIN billing_request b USING (request_id)
     WHERE e.account = 'usage' AND b.job_id IS NOT NULL GROUP BY b.job_id`,
  )
  return new Map(rows.map(({ job_id, cost }) => [job_id, BigInt(cost)]))
}

interface RunCharges {
  readonly runId: string
  /** Questions that judges were paid for, and what they cost. */
  readonly questions: number
  readonly judgingNano: bigint
}

/** What the judges of each run were charged. */
async function readRuns(pool: Pool): Promise<readonly RunCharges[]> {
  const { rows } = await pool.query<{ cap_id: string; questions: number; cost: string }>(
    `SELECT cap_id, count(*)::int AS questions, sum(cost) AS cost FROM billing_request
     WHERE kind = 'judging' AND cost > 0 GROUP BY cap_id`,
  )
  return rows.map(({ cap_id: runId, questions, cost }) => ({ runId, questions, judgingNano: BigInt(cost) }))
}

function chargedAgain(runs: readonly RunCharges[]): readonly string[] {
  return runs.filter(({ questions }) => questions > judgementsPerRun).map(({ runId }) => runId)
}

function beyondMaximum(runs: readonly RunCharges[], jobs: ReadonlyMap<string, bigint>): readonly string[] {
  return runs
    .filter(({ runId, judgingNano }) => judgingNano + (jobs.get(runId) ?? 0n) > runMaximumNano)
    .map(({ runId }) => runId)
}

/** The jobs that are below their cost. */
function below(costs: ReadonlyMap<string, bigint>, others: ReadonlyMap<string, bigint>): readonly string[] {
  return [...costs].filter(([job, cost]) => (others.get(job) ?? 0n) < cost).map(([job]) => job)
}

function list(what: string, ids: readonly string[]): string[] {
  return ids.length === 0 ? [] : [`${what}: ${ids.length}, e.g. ${ids[0]}`]
}

async function entriesByReason(pool: Pool): Promise<{ latePosts: number; expiries: number }> {
  const { rows } = await pool.query<{ reason: string; count: string }>(
    "SELECT reason, count(*) FROM ledger_entry WHERE account = 'wallet' GROUP BY reason",
  )
  const count = (reason: string) => Number(rows.find((row) => row.reason === reason)?.count ?? 0)
  return { latePosts: count('late_post'), expiries: count('expiry') }
}
