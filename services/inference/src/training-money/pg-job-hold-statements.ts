import { addUsage } from '../ledger/pg-usage-statement.ts'

/**
 * The SQL of holds of training jobs. Each statement is one transaction and takes locks in the order of the ledger: the
 * wallet, then the hold. Wallets and holds are written from the values that were read under their locks, with every column
 * that a constraint compares: Postgres checks constraints on the row of the snapshot first.
 *
 * A hold is an open request. A charge out of it is a request of its own that is posted at once; the hold then holds less. So
 * the sweep, the audit and everything that reads wallets treat them as they treat all requests. `job_cost` of the hold, read
 * under its lock, is what the job was charged: it decides what a call still has to charge.
 */

const lockWallet = `locked AS MATERIALIZED (
  SELECT workspace_id, balance, held, version FROM wallet WHERE workspace_id = $2::uuid FOR NO KEY UPDATE
)`

/**
 * Takes or raises a hold, or takes one again that was swept: $1 hold id, $2 wallet id, $3 amount, $4 model, $5 job id, $6 owner, $7 milliseconds to the
 * deadline, $8 key id, $9 tag, $10 alias, $11 kind. Returns the outcome, and what the wallet would have to cover.
 *
 * A hold continues with what the job has cost by those before it. They are read under their locks, and one that was swept
 * is final from now on: a late charge of it would be charged again by this one.
 *
 * Two statements that open a hold of a job at once exclude each other by the unique index; the second one then reports
 * `refused`. So a refusal counts only when it is repeated.
 */
const hold = `
WITH ${lockWallet},
mine AS MATERIALIZED (
  SELECT b.request_id, b.state, b.hold, b.taken, b.job_cost, b.state = 'voided' AND b.cost = 0 AS was_swept,
    CASE WHEN b.state = 'voided' THEN greatest($3::bigint, b.taken) - (b.job_cost - b.job_cost_before)
      ELSE greatest($3::bigint - b.taken, 0) END AS more
  FROM locked JOIN billing_request b ON b.request_id = $1::uuid AND b.wallet_id = locked.workspace_id
  FOR NO KEY UPDATE OF b
),
prior AS MATERIALIZED (
  SELECT b.request_id, b.state, b.job_cost, b.job_tokens
  FROM locked JOIN billing_request b ON b.wallet_id = locked.workspace_id
  WHERE b.job_id = $5::uuid AND b.taken IS NOT NULL AND b.request_id <> $1::uuid
  FOR NO KEY UPDATE OF b
),
before AS MATERIALIZED (
  SELECT coalesce(max(job_cost), 0) AS cost, coalesce(max(job_tokens), 0) AS tokens,
    coalesce(bool_or(state = 'open'), false) AS is_busy
  FROM prior
),
opened AS (
  INSERT INTO billing_request
    (request_id, wallet_id, owner_id, hold, deadline, state, kind, model, price_version, key_id, tag, alias,
      job_id, taken, job_cost_before, job_cost, job_tokens)
  SELECT $1::uuid, workspace_id, $6::uuid, $3::bigint, now() + $7::int * interval '1 millisecond', 'open', $11::text, $4,
    '', $8::uuid, $9::text, $10::text, $5::uuid, $3::bigint, before.cost, before.cost, before.tokens
  FROM locked, before
  WHERE NOT EXISTS (SELECT FROM mine) AND NOT before.is_busy AND $3::bigint <= balance - held
  ON CONFLICT DO NOTHING
  RETURNING wallet_id, hold, job_cost, hold AS more
),
ended AS (
  UPDATE billing_request b SET state = 'posted' FROM prior, opened
  WHERE b.request_id = prior.request_id AND prior.state = 'voided' AND b.state = 'voided'
),
raised AS (
  UPDATE billing_request b
  SET state = 'open', cost = NULL, closed_at = NULL, job_cost = mine.job_cost, taken = greatest(mine.taken, $3::bigint),
    hold = CASE WHEN mine.was_swept THEN 0 ELSE mine.hold END + mine.more,
    deadline = now() + $7::int * interval '1 millisecond'
  FROM mine, locked, before
  WHERE b.request_id = mine.request_id AND b.state::text IN ('open', 'voided') AND mine.taken IS NOT NULL
    AND (mine.state = 'open' OR mine.was_swept AND NOT before.is_busy) AND mine.more <= locked.balance - locked.held
  RETURNING b.wallet_id, b.hold, b.job_cost, mine.more
),
taken AS (SELECT * FROM opened UNION ALL SELECT * FROM raised),
reserved AS (
  UPDATE wallet w SET balance = locked.balance, held = locked.held + taken.more, version = locked.version + 1
  FROM taken JOIN locked ON locked.workspace_id = taken.wallet_id
  WHERE w.workspace_id = taken.wallet_id AND taken.more > 0
)
SELECT CASE
    WHEN EXISTS (SELECT FROM taken) THEN 'held'
    WHEN mine.state = 'posted' OR mine.state = 'voided' AND (mine.taken IS NULL OR NOT mine.was_swept) THEN mine.state::text
    WHEN mine.state IS DISTINCT FROM 'open' AND before.is_busy THEN 'busy'
    ELSE 'refused' END AS outcome,
  coalesce(mine.more, $3::bigint)::text AS missing,
  coalesce((SELECT hold FROM taken), 0)::text AS held,
  coalesce((SELECT job_cost FROM taken), 0)::text AS job_cost
FROM before LEFT JOIN mine ON true`

/**
 * Charges a job up to a cost: $1 hold id, $2 wallet id, $3 the cost, $4 its tokens or null, $5 the id of the charge, $6
 * milliseconds to the deadline, $7 whether the hold ends. Returns nothing for an unknown hold.
 *
 * A hold that was swept can charge only what is free now, and at most what it had taken; such a charge is added to its own
 * cost. A posted hold does not change.
 */
const charge = `
WITH ${lockWallet},
mine AS MATERIALIZED (
  SELECT b.request_id, b.wallet_id, b.owner_id, b.state, b.hold, b.cost, b.taken, b.job_cost_before, b.job_cost, b.job_tokens,
    b.kind, b.model, b.price_version, b.key_id, b.tag, b.alias, b.job_id
  FROM locked JOIN billing_request b ON b.request_id = $1::uuid AND b.wallet_id = locked.workspace_id
  WHERE b.taken IS NOT NULL FOR NO KEY UPDATE OF b
),
part AS MATERIALIZED (
  SELECT mine.*, mine.state = 'open' AS was_open, mine.state = 'open' AND NOT $7::boolean AS stays_open,
    greatest(
      least($3::bigint, job_cost_before + taken, CASE WHEN state = 'voided' THEN job_cost + balance - locked.held END)
        - job_cost, 0
    ) AS amount
  FROM mine JOIN locked ON locked.workspace_id = mine.wallet_id WHERE mine.state <> 'posted'
),
due AS MATERIALIZED (
  SELECT part.*, CASE WHEN stays_open THEN $5::uuid ELSE request_id END AS charge_id,
    CASE WHEN NOT was_open THEN 0 WHEN stays_open THEN amount ELSE hold END AS freed,
    CASE WHEN amount > 0 THEN greatest($4::bigint - job_tokens, 0) END AS tokens
  FROM part
),
charged AS (
  INSERT INTO billing_request
    (request_id, wallet_id, owner_id, hold, cost, deadline, closed_at, state, kind, model, price_version, key_id, tag, alias,
      prompt_tokens, job_id)
  SELECT charge_id, wallet_id, owner_id, amount, amount, now(), now(), 'posted', kind, model, price_version, key_id, tag,
    alias, least(tokens, 2147483647), job_id
  FROM due WHERE stays_open AND amount > 0
),
lowered AS (
  UPDATE billing_request b
  SET hold = due.hold - due.amount, taken = due.taken, job_cost = due.job_cost + due.amount,
    job_tokens = due.job_tokens + coalesce(due.tokens, 0), deadline = now() + $6::int * interval '1 millisecond'
  FROM due WHERE b.request_id = due.request_id AND due.stays_open
  RETURNING b.state, b.hold, b.job_cost
),
ended AS (
  UPDATE billing_request b
  SET state = CASE WHEN $7::boolean THEN 'posted' ELSE due.state END,
    hold = due.hold, taken = due.taken, cost = coalesce(due.cost, 0) + due.amount, job_cost = due.job_cost + due.amount,
    job_tokens = due.job_tokens + coalesce(due.tokens, 0),
    prompt_tokens = least(coalesce(b.prompt_tokens + due.tokens, due.tokens, b.prompt_tokens), 2147483647),
    write_off = CASE WHEN $7::boolean THEN greatest($3::bigint - due.job_cost - due.amount, 0) ELSE 0 END,
    closed_at = now()
  FROM due
  WHERE b.request_id = due.request_id AND NOT due.stays_open AND (due.amount > 0 OR $7::boolean)
  RETURNING b.state, 0::bigint AS hold, b.job_cost, b.write_off
),
paid AS (
  UPDATE wallet w SET balance = locked.balance - due.amount, held = locked.held - due.freed, version = locked.version + 1
  FROM due JOIN locked ON locked.workspace_id = due.wallet_id
  WHERE w.workspace_id = due.wallet_id AND (due.amount > 0 OR due.freed > 0)
),
entered AS (
  INSERT INTO ledger_entry (wallet_id, request_id, amount, account, reason)
  SELECT wallet_id, charge_id, side.sign * amount, side.account,
    CASE WHEN was_open THEN 'usage'::ledger_reason ELSE 'late_post' END
  FROM due, (VALUES ('wallet'::ledger_account, -1), ('usage', 1)) AS side(account, sign) WHERE amount > 0
),
used AS (${addUsage(`(
  SELECT wallet_id, kind, model, key_id, tag, alias, (job_cost = 0)::int AS requests, tokens AS prompt_tokens,
    NULL::bigint AS completion_tokens, amount AS cost
  FROM due WHERE amount > 0
) AS part`)})
SELECT mine.kind, coalesce(lowered.state, ended.state, mine.state)::text AS state,
  coalesce(lowered.hold, 0)::text AS held,
  coalesce(lowered.job_cost, ended.job_cost, mine.job_cost)::text AS job_cost,
  coalesce(due.amount, 0)::text AS charged, coalesce(due.was_open, true) AS was_open,
  coalesce(ended.write_off, 0)::text AS write_off
FROM mine LEFT JOIN due ON true LEFT JOIN lowered ON true LEFT JOIN ended ON true`

/** Keeps the open holds $2 of wallet $1 for $3 milliseconds. One that a statement changes at the moment is kept by that. */
const confirm = `
WITH mine AS MATERIALIZED (
  SELECT request_id FROM billing_request
  WHERE wallet_id = $1::uuid AND state = 'open' AND job_id IS NOT NULL AND request_id = ANY($2::uuid[])
  FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE billing_request b SET deadline = now() + $3::int * interval '1 millisecond'
FROM mine WHERE b.request_id = mine.request_id AND b.state::text = 'open'`

/** The open holds of jobs of wallet $1. */
const list = `
SELECT request_id, job_id, hold, job_cost, opened_at, deadline FROM billing_request
WHERE wallet_id = $1::uuid AND state = 'open' AND job_id IS NOT NULL ORDER BY opened_at, request_id LIMIT 1000`

/** Every statement by name, so that a test can replace one by a statement without its condition. */
export const jobHoldStatements = { hold, charge, confirm, list } as const

export type JobHoldStatements = Readonly<Record<keyof typeof jobHoldStatements, string>>
