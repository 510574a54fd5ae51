import { auditLedger } from '@ratchet/db/audit-ledger'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Evidence } from './evidence.ts'
import { type CrashWallet, costOf } from './workload.ts'

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
}

interface RequestRow {
  readonly request_id: string
  readonly wallet_id: string
  readonly state: 'open' | 'posted' | 'voided'
  readonly hold: string
  readonly cost: string | null
  readonly write_off: string
  readonly cap_id: string | null
}

/** Compares an idle ledger with the evidence. */
export async function verify(pool: Pool, evidence: Evidence, wallets: readonly CrashWallet[]): Promise<Verdict> {
  const { rows } = await pool.query<RequestRow>(
    'SELECT request_id, wallet_id, state, hold, cost, write_off, cap_id FROM billing_request',
  )
  const requests = new Map(rows.map((row) => [row.request_id, row]))
  const small = new Set(wallets.filter(({ isSmall }) => isSmall).map(({ workspaceId }) => workspaceId))
  const notCharged = [...evidence.acked].filter((id) => requests.get(id)?.state !== 'posted')
  const wrong = [...evidence.acked].filter((id) => !isRightlyCharged(requests.get(id), small))
  const chargedForNothing = [...evidence.released].filter((id) => requests.get(id)?.cost !== '0')
  const unheld = [...evidence.called].filter((id) => !requests.has(id))
  const audit = await auditLedger(pool)
  const violations = [
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
    ...(await entriesByReason(pool)),
  }
}

/**
 * A request that is not posted counts as not charged, not as wrong. Only a late settle on a small wallet or under a cap
 * may be lower.
 */
function isRightlyCharged(row: RequestRow | undefined, small: ReadonlySet<string>): boolean {
  if (row?.state !== 'posted') return true
  const cost = costOf(row.request_id)
  const [charged, writtenOff] = [BigInt(row.cost ?? 0), BigInt(row.write_off)]
  const due = cost < BigInt(row.hold) ? cost : BigInt(row.hold)
  return (
    charged + writtenOff === cost &&
    (charged === due || (charged < due && (small.has(row.wallet_id) || row.cap_id !== null)))
  )
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
