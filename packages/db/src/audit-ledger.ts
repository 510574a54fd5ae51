import type { Pool } from './connect-pool.ts'
import { mainLedger } from './ledger-urls.ts'

/** A violated invariant of the ledger. */
export interface LedgerViolation {
  /** The invariant, in words. */
  readonly invariant: string
  /** Number of wallets, requests, blocks or top-ups that violate it, ≥ 1. */
  readonly count: number
  /** The id of one of them. */
  readonly example: string
}

/** The state of the ledger at one instant. */
export interface LedgerAudit {
  readonly violations: readonly LedgerViolation[]
  readonly openRequests: number
  /** Seconds since the oldest open request was opened; 0 when there is none. Holds of training jobs last long and do not count. */
  readonly oldestOpenSeconds: number
  /** Open requests and blocks more than a minute after their deadline, which the sweeper should have closed. */
  readonly overdueRequests: number
  readonly heldNano: bigint
  readonly writtenOffNano: bigint
}

/**
 * Invariants that must hold at every instant. Each query returns the ids that violate one, in one statement and so on one
 * snapshot. The queries read whole tables, so they must not run on the hot path. $1 is the name of the ledger.
 */
const invariants = {
  'balance = credit - charges': `
    SELECT w.workspace_id::text AS id FROM wallet w
    LEFT JOIN (SELECT wallet_id, sum(amount) AS amount FROM ledger_entry WHERE account = 'wallet' GROUP BY wallet_id) e
      ON e.wallet_id = w.workspace_id
    WHERE w.balance <> coalesce(e.amount, 0)`,
  'held = holds of open requests + unbooked blocks': `
    SELECT w.workspace_id::text AS id FROM wallet w
    LEFT JOIN (
      SELECT wallet_id, sum(hold) AS hold FROM (
        SELECT wallet_id, hold FROM billing_request WHERE state = 'open'
        UNION ALL SELECT wallet_id, amount FROM escrow_block WHERE state <> 'booked'
      ) h GROUP BY wallet_id
    ) b ON b.wallet_id = w.workspace_id
    WHERE w.held <> coalesce(b.hold, 0)`,
  'charges of a block <= its amount': `
    SELECT c.block_id::text AS id FROM charge c LEFT JOIN escrow_block b USING (block_id)
    GROUP BY c.block_id, b.amount HAVING sum(c.cost) > coalesce(b.amount, 0)`,
  'a block is booked once, with the sum of its charges': `
    SELECT block_id::text AS id
    FROM (SELECT block_id, charged, charges FROM escrow_block WHERE state = 'booked') b
    FULL JOIN (SELECT block_id, -sum(amount) AS entered FROM ledger_entry WHERE account = 'wallet' AND block_id IS NOT NULL
      GROUP BY block_id) e USING (block_id)
    LEFT JOIN (SELECT block_id, sum(cost) AS cost, count(*) AS number FROM charge GROUP BY block_id) c USING (block_id)
    WHERE b.charged IS DISTINCT FROM coalesce(c.cost, 0) OR b.charges <> coalesce(c.number, 0)
      OR b.charged <> coalesce(e.entered, 0)`,
  'charged to a block or with a row, not both': `
    SELECT c.request_id::text AS id FROM charge c JOIN billing_request b USING (request_id)
    WHERE b.state <> 'voided' OR b.cost <> 0 OR b.hold <> 0`,
  'a wallet is in the ledger of its workspace': `
    SELECT w.workspace_id::text AS id FROM wallet w LEFT JOIN workspace_ledger l USING (workspace_id)
    WHERE l.ledger IS DISTINCT FROM $1`,
  '0 <= held <= balance': 'SELECT workspace_id::text AS id FROM wallet WHERE held < 0 OR held > balance',
  '0 <= cost <= hold': `
    SELECT request_id::text AS id FROM billing_request
    WHERE hold < 0 OR cost < 0 OR cost > hold OR (state = 'open') <> (cost IS NULL)`,
  'charged once, what it cost': `
    SELECT coalesce(b.request_id, e.request_id)::text AS id
    FROM (SELECT request_id, wallet_id, cost FROM billing_request WHERE cost <> 0) b
    FULL JOIN (
      SELECT request_id, wallet_id, -sum(amount) AS charged, count(*) FILTER (WHERE reason = 'usage') AS settles
      FROM ledger_entry WHERE account = 'wallet' AND request_id IS NOT NULL GROUP BY request_id, wallet_id
    ) e ON e.request_id = b.request_id AND e.wallet_id = b.wallet_id
    WHERE coalesce(b.cost, 0) <> coalesce(e.charged, 0) OR e.settles > 1`,
  'charges of a training job = its last checkpoint <= what its holds took': `
    SELECT job_id::text AS id FROM (
      SELECT job_id, coalesce(sum(cost), 0) AS charged, coalesce(max(job_cost), 0) AS checkpoint, coalesce(sum(taken), 0) AS taken,
        count(*) FILTER (WHERE state = 'open') AS open, count(DISTINCT wallet_id) AS wallets,
        coalesce(bool_or(job_cost > job_cost_before + taken OR job_cost < job_cost_before), false) AS is_over
      FROM billing_request WHERE job_id IS NOT NULL GROUP BY job_id
    ) j WHERE charged <> checkpoint OR charged > taken OR open > 1 OR wallets > 1 OR is_over`,
  'a hold of a training job = what it took - what it charged': `
    SELECT request_id::text AS id FROM billing_request
    WHERE taken IS NOT NULL AND hold + (job_cost - job_cost_before) - coalesce(cost, 0) <> taken`,
  'spent and held of a cap = those of its requests': `
    SELECT coalesce(c.cap_id, b.cap_id)::text AS id FROM spend_cap c
    FULL JOIN (
      SELECT wallet_id, cap_id, cap_window, sum(cost) AS spent, sum(hold) FILTER (WHERE state = 'open') AS held
      FROM billing_request WHERE cap_id IS NOT NULL GROUP BY wallet_id, cap_id, cap_window
    ) b ON b.wallet_id = c.wallet_id AND b.cap_id = c.cap_id AND b.cap_window = c.window_start
    WHERE coalesce(c.spent, 0) <> coalesce(b.spent, 0) OR coalesce(c.held, 0) <> coalesce(b.held, 0)`,
  'spent + held <= cap': 'SELECT cap_id::text AS id FROM spend_cap WHERE cap > 0 AND spent + held > cap',
  'spent and held of a budget = those of its requests': `
    SELECT coalesce(w.budget_id, b.budget_id)::text AS id FROM budget_window w
    FULL JOIN (
      SELECT r.wallet_id, t.budget_id, t.subject, t.window_start, sum(r.cost) AS spent,
        sum(r.hold) FILTER (WHERE r.state = 'open') AS held
      FROM billing_request r
      CROSS JOIN LATERAL unnest(r.budget_ids, r.budget_subjects, r.budget_windows) AS t(budget_id, subject, window_start)
      WHERE r.budget_ids IS NOT NULL GROUP BY 1, 2, 3, 4
    ) b ON b.wallet_id = w.wallet_id AND b.budget_id = w.budget_id AND b.subject = w.subject AND b.window_start = w.window_start
    WHERE coalesce(w.spent, 0) <> coalesce(b.spent, 0) OR coalesce(w.held, 0) <> coalesce(b.held, 0)`,
  'spent + held <= budget': 'SELECT budget_id::text AS id FROM budget_window WHERE spent + held > amount',
  'usage by hour <= charges (earlier releases wrote no usage)': `
    SELECT u.wallet_id::text AS id FROM (SELECT wallet_id, sum(cost) AS cost FROM usage_hour GROUP BY wallet_id) u
    LEFT JOIN (SELECT wallet_id, sum(amount) AS amount FROM ledger_entry WHERE account = 'usage' GROUP BY wallet_id) e
      USING (wallet_id)
    WHERE u.cost > coalesce(e.amount, 0)`,
  'usage by end user = charges of their requests': `
    SELECT coalesce(u.wallet_id, c.wallet_id)::text AS id FROM (
      SELECT wallet_id, end_user_id, model, sum(cost) AS cost FROM usage_user_hour GROUP BY 1, 2, 3
    ) u FULL JOIN (
      SELECT wallet_id, end_user_id, model, sum(cost) AS cost FROM (
        SELECT wallet_id, end_user_id, model, cost FROM billing_request WHERE end_user_id IS NOT NULL
        UNION ALL SELECT c.wallet_id, c.end_user_id, c.model, c.cost FROM charge c JOIN escrow_block b USING (block_id)
        WHERE c.end_user_id IS NOT NULL AND b.state = 'booked'
      ) r GROUP BY 1, 2, 3
    ) c ON c.wallet_id = u.wallet_id AND c.end_user_id = u.end_user_id AND c.model = u.model
    WHERE coalesce(u.cost, 0) <> coalesce(c.cost, 0)`,
  'usage by key, tag, alias, model and purpose = charges of their requests': `
    SELECT coalesce(u.wallet_id, c.wallet_id)::text AS id FROM (
      SELECT wallet_id, kind, model, key_id, tag, alias, sum(cost) AS cost FROM usage_hour
      WHERE key_id <> '00000000-0000-0000-0000-000000000000' OR tag <> '' OR alias <> '' GROUP BY 1, 2, 3, 4, 5, 6
    ) u FULL JOIN (
      SELECT wallet_id, kind, model, key_id, tag, alias, sum(cost) AS cost FROM (
        SELECT wallet_id, kind, model, coalesce(key_id, '00000000-0000-0000-0000-000000000000') AS key_id,
          coalesce(tag, '') AS tag, coalesce(alias, '') AS alias, cost
        FROM billing_request WHERE cost > 0
        UNION ALL SELECT c.wallet_id, c.kind, c.model, coalesce(c.key_id, '00000000-0000-0000-0000-000000000000'),
          coalesce(c.tag, ''), coalesce(c.alias, ''), c.cost
        FROM charge c JOIN escrow_block b USING (block_id) WHERE b.state = 'booked'
      ) r WHERE key_id <> '00000000-0000-0000-0000-000000000000' OR tag <> '' OR alias <> '' GROUP BY 1, 2, 3, 4, 5, 6
    ) c ON c.wallet_id = u.wallet_id AND c.kind = u.kind AND c.model = u.model AND c.key_id = u.key_id AND c.tag = u.tag
      AND c.alias = u.alias
    WHERE coalesce(u.cost, 0) <> coalesce(c.cost, 0)`,
  'entries come in pairs': `
    SELECT coalesce(request_id::text, block_id::text, external_ref) AS id FROM ledger_entry
    GROUP BY request_id, block_id, external_ref, reason HAVING sum(amount) <> 0`,
  'all accounts sum to 0': `
    SELECT sum(amount)::text AS id FROM ledger_entry HAVING sum(amount) <> 0`,
} as const

/** The invariants, in words. */
export const ledgerInvariants: readonly string[] = Object.keys(invariants)

/**
 * Checks every invariant of one ledger that SQL can express. Inference runs it periodically, and an operator on demand.
 * No entry concerns wallets of two ledgers, so each can be audited separately.
 */
export async function auditLedger(pool: Pick<Pool, 'query'>, ledger: string = mainLedger): Promise<LedgerAudit> {
  const violations: LedgerViolation[] = []
  for (const [invariant, query] of Object.entries(invariants)) {
    const { rows } = await pool.query<{ count: string; example: string | null }>(
      `SELECT count(*) AS count, min(id) AS example FROM (${query}) AS broken`,
      query.includes('$1') ? [ledger] : [],
    )
    const count = Number(rows[0]?.count ?? 0)
    if (count > 0) violations.push({ invariant, count, example: rows[0]?.example ?? '' })
  }
  return { violations, ...(await numbers(pool)) }
}

async function numbers(pool: Pick<Pool, 'query'>): Promise<Omit<LedgerAudit, 'violations'>> {
  const { rows } = await pool.query<Record<'open' | 'oldest' | 'overdue' | 'held' | 'written_off', string>>(`
    SELECT count(*) AS open,
      coalesce(extract(epoch FROM now() - min(opened_at) FILTER (WHERE job_id IS NULL)), 0) AS oldest,
      count(*) FILTER (WHERE deadline < now() - interval '1 minute')
        + (SELECT count(*) FROM escrow_block WHERE state <> 'booked' AND deadline < now() - interval '1 minute') AS overdue,
      (SELECT coalesce(sum(held), 0) FROM wallet_now) AS held,
      (SELECT coalesce(sum(write_off), 0) FROM billing_request WHERE write_off > 0)
        + (SELECT coalesce(sum(write_off), 0) FROM charge WHERE write_off > 0) AS written_off
    FROM billing_request WHERE state = 'open'`)
  const [row] = rows
  return {
    openRequests: Number(row?.open ?? 0),
    oldestOpenSeconds: Number(row?.oldest ?? 0),
    overdueRequests: Number(row?.overdue ?? 0),
    heldNano: BigInt(row?.held ?? 0),
    writtenOffNano: BigInt(row?.written_off ?? 0),
  }
}
