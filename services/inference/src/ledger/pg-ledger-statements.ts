import { escrowStatements } from './pg-escrow-statements.ts'
import { holdBudgeted } from './pg-hold-budgeted-statement.ts'
import { holdCapped } from './pg-hold-capped-statement.ts'
import { usageParts } from './pg-usage-statement.ts'

/**
 * The ledger's SQL. Each statement is one transaction, and all of them take locks in the same order: wallets by id,
 * then requests, then the spend caps and budgets of those wallets. All of them rely on READ COMMITTED: a locked row is read as it
 * is after the wait, while rows that are only joined are read from the statement's snapshot.
 *
 * Wallets are therefore written from the values that were read under their lock. `held = held + …` would have the same
 * result, but Postgres first applies it to the row of the snapshot and checks the constraints there, so a wallet near
 * its limit would refuse a hold that fits.
 *
 * Requests are always read by their key: `state::text` keeps the planner from using the index of all open requests
 * instead, which its statistics make look cheap and which is slow with many streams.
 */

/** Settings of a connection that keep a plan made for an empty table from being used for a full one. */
export const planSettings = `
SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_mergejoin = off; SET jit = off`

/** Locks the wallets in `ids` and reads their current values. */
const lockWallets = (ids: string) => `locked AS MATERIALIZED (
  SELECT workspace_id, balance, held, version FROM wallet
  WHERE workspace_id ${ids} ORDER BY workspace_id FOR NO KEY UPDATE
)`

/**
 * Accounts the requests in the CTE `closed`: releases their holds, charges their costs, and adds their usage. It has hold,
 * cost and what a request is for.
 */
const book = (reason: 'usage' | 'expiry') => `
total AS (
  SELECT wallet_id, sum(hold)::bigint AS hold, sum(cost)::bigint AS cost FROM closed GROUP BY wallet_id
),
paid AS (
  UPDATE wallet w
  SET balance = locked.balance - total.cost, held = locked.held - total.hold, version = locked.version + 1
  FROM total JOIN locked ON locked.workspace_id = total.wallet_id WHERE w.workspace_id = total.wallet_id
),
entered AS (
  INSERT INTO ledger_entry (wallet_id, request_id, amount, account, reason)
  SELECT wallet_id, request_id, side.sign * cost, side.account, '${reason}'
  FROM closed, (VALUES ('wallet'::ledger_account, -1), ('usage', 1)) AS side(account, sign)
  WHERE cost > 0
),
${usageParts("(SELECT *, 1 AS requests FROM closed WHERE cost > 0 OR state = 'posted') AS part")}`

/** What a request is for, for `book`. */
const usage = 'kind, b.model, b.key_id, b.tag, b.alias, b.end_user_id, b.prompt_tokens, b.completion_tokens'

/**
 * Takes holds: $1 request ids, $2 wallet ids, $3 amounts, $4 kinds, $5 models, $6 price versions, $7 key ids, $8 tags, $9
 * aliases, $10 owner, $11 milliseconds to the deadline, $12 end users. Returns the outcome of every id.
 *
 * Within one statement the smaller amounts of a wallet go first. So the holds that are taken are a prefix, and the
 * first one that does not fit is at most as large as any after it: no hold is refused that would fit. `refused` may
 * still be wrong for an id that another statement inserted after the snapshot, so a refusal counts only when a second
 * statement repeats it.
 */
const hold = `
WITH item AS MATERIALIZED (
  SELECT t.*, known.state AS known
  FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::text[], $9::text[],
      $12::uuid[])
    AS t(request_id, wallet_id, amount, kind, model, price_version, key_id, tag, alias, end_user_id)
  LEFT JOIN LATERAL (SELECT state FROM billing_request b WHERE b.request_id = t.request_id LIMIT 1) AS known ON true
),
${lockWallets('= ANY($2::uuid[])')},
fresh AS (
  SELECT item.*, sum(amount) OVER (PARTITION BY wallet_id ORDER BY amount, request_id ROWS UNBOUNDED PRECEDING) AS running_total
  FROM item WHERE known IS NULL
),
taken AS (
  INSERT INTO billing_request
    (request_id, wallet_id, owner_id, hold, deadline, state, kind, model, price_version, key_id, tag, alias, end_user_id)
  SELECT request_id, wallet_id, $10::uuid, amount, now() + $11::int * interval '1 millisecond', 'open', kind, model,
    price_version, key_id, tag, alias, end_user_id
  FROM fresh JOIN locked ON locked.workspace_id = fresh.wallet_id
  WHERE running_total <= locked.balance - locked.held
  ON CONFLICT (request_id) DO NOTHING
  RETURNING request_id, wallet_id, hold
),
reserved AS (
  UPDATE wallet w SET balance = locked.balance, held = locked.held + total.hold, version = locked.version + 1
  FROM (SELECT wallet_id, sum(hold)::bigint AS hold FROM taken GROUP BY wallet_id) AS total
  JOIN locked ON locked.workspace_id = total.wallet_id
  WHERE w.workspace_id = total.wallet_id
)
SELECT item.request_id, CASE WHEN taken.request_id IS NOT NULL THEN 'held' ELSE coalesce(item.known::text, 'refused') END AS outcome
FROM item LEFT JOIN taken USING (request_id)`

/**
 * Closes open requests: $1 request ids, $2 wallet ids, $3 real costs, $4 states to close in, $5 request ids of their rows
 * in the log, $6 days on which those expire, $7 prompt tokens, $8 completion tokens. Because of the condition
 * on the state a repetition has no effect. It returns only the ids that it closed.
 */
const close = `
WITH item AS MATERIALIZED (
  SELECT *
  FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::billing_state[], $5::uuid[], $6::date[], $7::int[], $8::int[])
    AS t(request_id, wallet_id, cost, state, log_request_id, log_expires_on, prompt_tokens, completion_tokens)
),
${lockWallets('= ANY($2::uuid[])')},
closed AS (
  UPDATE billing_request b
  SET state = item.state, cost = least(item.cost, b.hold), write_off = greatest(item.cost - b.hold, 0), closed_at = now(),
    log_request_id = item.log_request_id, log_expires_on = item.log_expires_on, prompt_tokens = item.prompt_tokens,
    completion_tokens = item.completion_tokens
  FROM item, (SELECT count(*) FROM locked) AS locks_first
  WHERE b.request_id = item.request_id AND b.wallet_id = item.wallet_id AND b.state::text = 'open'
  RETURNING b.request_id, b.wallet_id, b.hold, b.cost, b.write_off, b.state, b.${usage}
),${book('usage')}
SELECT request_id, cost, write_off FROM closed`

/** Reads the state of $1 request ids, with rows of their own or charged to a block. Any other id is not in the result. */
const read = `
SELECT request_id, state::text, cost FROM billing_request WHERE request_id = ANY($1::uuid[])
UNION ALL SELECT request_id, 'posted', cost FROM charge WHERE request_id = ANY($1::uuid[])`

/**
 * Corrects one voided request: $1 request id, $2 wallet id, $3 real cost, $4 final state, $5 and $6 its row in the log, $7
 * prompt tokens, $8 completion tokens. The hold was released, so beyond
 * what the checkpoint charged it can charge only what is free now, in the wallet and under the request's spend cap and budgets. A
 * real cost below the checkpoint is paid back. Returns nothing when the request is not voided any more.
 */
const latePost = `
WITH ${lockWallets('= $2::uuid')},
room AS MATERIALIZED (
  SELECT c.cap - c.spent - c.held AS free
  FROM locked JOIN billing_request b ON b.request_id = $1::uuid AND b.wallet_id = locked.workspace_id
  JOIN spend_cap c ON c.wallet_id = b.wallet_id AND c.cap_id = b.cap_id AND c.window_start = b.cap_window
  WHERE c.cap > 0 FOR NO KEY UPDATE OF c
),
budget_room AS MATERIALIZED (
  SELECT w.amount - w.spent - w.held AS free
  FROM locked JOIN billing_request b ON b.request_id = $1::uuid AND b.wallet_id = locked.workspace_id
  CROSS JOIN LATERAL unnest(b.budget_ids, b.budget_subjects, b.budget_windows) AS t(budget_id, subject, window_start)
  JOIN budget_window w ON w.wallet_id = b.wallet_id AND w.budget_id = t.budget_id AND w.subject = t.subject
    AND w.window_start = t.window_start
  FOR NO KEY UPDATE OF w
),
prior AS MATERIALIZED (
  SELECT b.request_id, b.wallet_id, b.cost, (b.cost > 0)::int AS requests,
    least($3::bigint, b.hold, b.cost + locked.balance - locked.held, b.cost + (SELECT free FROM room),
      b.cost + (SELECT min(free) FROM budget_room)) AS charge
  FROM billing_request b JOIN locked ON locked.workspace_id = b.wallet_id
  WHERE b.request_id = $1::uuid AND b.state = 'voided' FOR NO KEY UPDATE OF b
),
corrected AS (
  UPDATE billing_request b
  SET state = $4::billing_state, cost = prior.charge, write_off = $3::bigint - prior.charge, closed_at = now(),
    log_request_id = $5::uuid, log_expires_on = $6::date, prompt_tokens = $7::int, completion_tokens = $8::int
  FROM prior WHERE b.request_id = prior.request_id AND b.state = 'voided'
  RETURNING b.request_id, b.wallet_id, b.cost, b.write_off, b.state, prior.charge - prior.cost AS difference,
    prior.requests, b.${usage}
),
paid AS (
  UPDATE wallet w
  SET balance = locked.balance - corrected.difference, held = locked.held, version = locked.version + 1
  FROM corrected JOIN locked ON locked.workspace_id = corrected.wallet_id WHERE w.workspace_id = corrected.wallet_id
),
entered AS (
  INSERT INTO ledger_entry (wallet_id, request_id, amount, account, reason)
  SELECT wallet_id, request_id, side.sign * difference, side.account, 'late_post'
  FROM corrected, (VALUES ('wallet'::ledger_account, -1), ('usage', 1)) AS side(account, sign)
  WHERE difference <> 0
),
${usageParts(`(
  SELECT wallet_id, kind, model, key_id, tag, alias, end_user_id, (cost > 0 OR state = 'posted')::int - requests AS requests,
    prompt_tokens, completion_tokens, difference AS cost
  FROM corrected
) AS part`)}
SELECT request_id, cost, write_off, difference FROM corrected`

/**
 * Marks $1 as voided before it was held, for a hold that may or may not commit later. If it does, it finds the id
 * taken. $2 wallet id, $3 owner.
 */
const forestall = `
INSERT INTO billing_request (request_id, wallet_id, owner_id, hold, cost, deadline, closed_at, state, kind, model, price_version)
VALUES ($1::uuid, $2::uuid, $3::uuid, 0, 0, now(), now(), 'voided', '', '', '')
ON CONFLICT (request_id) DO NOTHING`

/**
 * Records costs so far and extends deadlines: $1 request ids, $2 costs so far, $3 milliseconds to the deadline. Costs
 * only grow, so the order does not matter. A row that is being closed is skipped: waiting for it could deadlock, and
 * its cost is about to be final.
 */
const checkpoint = `
WITH item AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::bigint[]) AS t(request_id, cost)
),
mine AS MATERIALIZED (
  SELECT b.request_id, item.cost FROM item JOIN billing_request b ON b.request_id = item.request_id
  WHERE b.state::text = 'open' FOR NO KEY UPDATE OF b SKIP LOCKED
)
UPDATE billing_request b
SET checkpoint = greatest(b.checkpoint, least(mine.cost, b.hold)), deadline = now() + $3::int * interval '1 millisecond'
FROM mine WHERE b.request_id = mine.request_id AND b.state::text = 'open'`

/** Reports that owner $1 is alive. */
const heartbeat = `
INSERT INTO ledger_owner (owner_id, heartbeat_at, counted_at, knows_blocks) VALUES ($1::uuid, now(), now(), true)
ON CONFLICT (owner_id) DO UPDATE SET heartbeat_at = now(), counted_at = now(), missed_sweeps = 0`

/** Reports that owner $1 ended, so that its holds can be closed without waiting for missed sweeps. */
const retire = 'DELETE FROM ledger_owner WHERE owner_id = $1::uuid'

/**
 * Counts one sweep against every owner without a heartbeat and without a count for $1 milliseconds, and deletes owners
 * that were silent for a day. While Postgres is unavailable nothing is counted, so an outage orphans no hold.
 */
const countMissed = `
WITH forgotten AS (DELETE FROM ledger_owner WHERE heartbeat_at < now() - interval '1 day')
UPDATE ledger_owner SET missed_sweeps = missed_sweeps + 1, counted_at = now()
WHERE counted_at < now() - $1::int * interval '1 millisecond' AND heartbeat_at >= now() - interval '1 day'`

/**
 * Closes, at their checkpoint, holds past their deadline whose owner ended or missed $1 sweeps, and any hold $2
 * milliseconds past its deadline. At most $3 at a time, and one sweep at a time in the database.
 */
const sweep = `
WITH leader AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(7402315001) AS won),
expired AS MATERIALIZED (
  SELECT b.request_id, b.wallet_id
  FROM leader CROSS JOIN billing_request b LEFT JOIN ledger_owner o USING (owner_id)
  WHERE leader.won AND b.state = 'open' AND b.deadline < now()
    AND (o.owner_id IS NULL OR o.missed_sweeps >= $1::int OR b.deadline < now() - $2::int * interval '1 millisecond')
  LIMIT $3::int
),
${lockWallets('IN (SELECT wallet_id FROM expired)')},
closed AS (
  UPDATE billing_request b SET state = 'voided', cost = b.checkpoint, closed_at = now()
  FROM expired, (SELECT count(*) FROM locked) AS locks_first
  WHERE b.request_id = expired.request_id AND b.state::text = 'open' AND b.deadline < now()
  RETURNING b.request_id, b.wallet_id, b.hold, b.cost, b.state, b.${usage}
),${book('expiry')}
SELECT request_id, cost, hold FROM closed`

/**
 * Every statement by name. A test can replace one by a statement without its condition, to show that the condition is
 * needed.
 */
export const ledgerStatements = {
  hold,
  holdCapped,
  holdBudgeted,
  close,
  read,
  latePost,
  forestall,
  checkpoint,
  heartbeat,
  retire,
  countMissed,
  sweep,
  ...escrowStatements,
} as const

export type LedgerStatements = Readonly<Record<keyof typeof ledgerStatements, string>>
