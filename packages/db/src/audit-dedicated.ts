import type { LedgerViolation } from './audit-ledger.ts'
import type { Pool } from './connect-pool.ts'

/** The rules that dedicated endpoints and the ledgers must obey together, in words. */
const rules = {
  seconds: 'the windows of a replica that has ended are the time in which it was ready',
  posted: 'a window of a replica was charged once, what it cost',
  held: 'nothing is held for a replica an hour after its end',
} as const

/** The rules, in words. */
export const dedicatedRules: readonly string[] = Object.values(rules)

/**
 * Compares replicas and their windows with what the ledgers charged for them. Windows are read first: a charge is made before it
 * is written down there. It reads whole tables, and needs the rights of the operator: no service reads both.
 *
 * @param main the database of the training service
 * @param ledgers those of all ledgers; the main database is one of them
 */
export async function auditDedicated(
  main: Pick<Pool, 'query'>,
  ledgers: readonly Pick<Pool, 'query'>[],
): Promise<readonly LedgerViolation[]> {
  const broken: [string, string][] = []
  const seconds = (await main.query<{ id: string }>(secondsStatement)).rows
  broken.push(...seconds.map(({ id }): [string, string] => [rules.seconds, id]))
  const kept = (await main.query<{ id: string }>(keptStatement)).rows
  broken.push(...kept.map(({ id }): [string, string] => [rules.held, id]))
  const posted = (await main.query<PostedRow>(postedStatement)).rows
  const charges = new Map<string, bigint>()
  for (const ledger of ledgers) {
    for (const { id, charged } of (await ledger.query<ChargedRow>(chargedStatement)).rows) {
      charges.set(id, (charges.get(id) ?? 0n) + BigInt(charged))
    }
  }
  for (const { id, cost } of posted) {
    if ((charges.get(id) ?? 0n) !== BigInt(cost)) broken.push([rules.posted, id])
  }
  return [...Map.groupBy(broken, ([rule]) => rule)].map(([invariant, found]) => {
    return { invariant, count: found.length, example: found.map(([, id]) => id).sort()[0] ?? '' }
  })
}

/** Each window may differ by half a millisecond, as it is rounded. */
const secondsStatement = `
  SELECT r.id FROM replica r
    JOIN (SELECT replica_id, sum(extract(epoch FROM to_at - from_at)) AS seconds FROM replica_interval GROUP BY 1) i
      ON i.replica_id = r.id
    LEFT JOIN (SELECT replica_id, sum(ready_ms) AS ms, count(*) AS number FROM replica_window GROUP BY 1) w
      ON w.replica_id = r.id
  WHERE r.settled AND abs(coalesce(w.ms, 0) - 1000 * i.seconds) > coalesce(w.number, 0)`

const keptStatement = `
  SELECT DISTINCT r.id FROM replica r JOIN replica_window w ON w.replica_id = r.id
  WHERE w.state <> 'posted' AND r.ended_at < now() - interval '1 hour'`

const postedStatement = `SELECT id, cost_nano::text AS cost FROM replica_window WHERE state = 'posted'`

interface PostedRow {
  readonly id: string
  readonly cost: string
}

/** What was written off was not charged, and is owed: it counts as if it were. */
const chargedStatement = `
  SELECT job_id AS id, (coalesce(sum(cost), 0) + coalesce(sum(write_off), 0))::text AS charged
  FROM billing_request WHERE kind = 'dedicated' AND job_id IS NOT NULL GROUP BY job_id`

interface ChargedRow {
  readonly id: string
  readonly charged: string
}
