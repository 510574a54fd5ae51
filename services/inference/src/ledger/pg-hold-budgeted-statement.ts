/**
 * Takes one hold under budgets, and perhaps under a spend cap: $1 request id, $2 wallet id, $3 amount, $4 kind, $5 model, $6
 * price version, $7 owner, $8 milliseconds to the deadline, $9 cap id or empty, $10 start of its window or empty, $11 cap, 0
 * for unlimited, $12 key id or empty, $13 tag, $14 alias; a place in each list for each budget: $15 their ids, $16 subjects, $17
 * starts of windows, $18 amounts; $19 end user or empty. Returns the outcome; of budgets that do not cover it, the places in the lists, from 0.
 *
 * It holds under all of them, or takes nothing. As with caps, triggers change the sums, the row of a budget is written only
 * where the hold fits, and a conflicting row is read under its lock.
 */
export const holdBudgeted = `
WITH known AS MATERIALIZED (SELECT state FROM billing_request WHERE request_id = $1::uuid),
locked AS MATERIALIZED (
  SELECT workspace_id, balance, held, version FROM wallet WHERE workspace_id = $2::uuid FOR NO KEY UPDATE
),
covered AS MATERIALIZED (
  SELECT workspace_id FROM locked WHERE NOT EXISTS (SELECT FROM known) AND $3::bigint <= balance - held
),
capped AS (
  INSERT INTO spend_cap AS c (wallet_id, cap_id, window_start, cap)
  SELECT workspace_id, nullif($9, '')::uuid, nullif($10, '')::timestamptz, $11::bigint FROM covered
  WHERE $9 <> '' AND ($11::bigint = 0 OR $3::bigint <= $11::bigint)
  ON CONFLICT (wallet_id, cap_id, window_start) DO UPDATE SET cap = excluded.cap
  WHERE excluded.cap = 0 OR $3::bigint <= excluded.cap - c.spent - c.held
  RETURNING c.cap_id
),
asked AS MATERIALIZED (
  SELECT * FROM unnest($15::uuid[], $16::text[], $17::timestamptz[], $18::bigint[])
    WITH ORDINALITY AS t(budget_id, subject, window_start, amount, place)
),
allowed AS (
  INSERT INTO budget_window AS b (wallet_id, budget_id, subject, window_start, amount)
  SELECT workspace_id, budget_id, subject, window_start, amount FROM covered, asked WHERE $3::bigint <= amount
  ON CONFLICT (wallet_id, budget_id, window_start, subject) DO UPDATE SET amount = excluded.amount
  WHERE $3::bigint <= excluded.amount - b.spent - b.held
  RETURNING b.budget_id, b.subject, b.window_start
),
fits AS MATERIALIZED (
  SELECT workspace_id FROM covered
  WHERE (SELECT count(*) FROM allowed) = cardinality($15::uuid[]) AND ($9 = '' OR EXISTS (SELECT FROM capped))
),
taken AS (
  INSERT INTO billing_request
    (request_id, wallet_id, owner_id, hold, deadline, state, kind, model, price_version, cap_id, cap_window,
      key_id, tag, alias, budget_ids, budget_subjects, budget_windows, end_user_id)
  SELECT $1::uuid, workspace_id, $7::uuid, $3::bigint, now() + $8::int * interval '1 millisecond', 'open', $4, $5, $6,
    nullif($9, '')::uuid, nullif($10, '')::timestamptz, nullif($12, '')::uuid, $13, $14, $15::uuid[], $16::text[],
    $17::timestamptz[], nullif($19, '')::uuid
  FROM fits
  ON CONFLICT (request_id) DO NOTHING
  RETURNING wallet_id, hold
),
reserved AS (
  UPDATE wallet w SET balance = locked.balance, held = locked.held + taken.hold, version = locked.version + 1
  FROM taken JOIN locked ON locked.workspace_id = taken.wallet_id WHERE w.workspace_id = taken.wallet_id
)
SELECT $1::uuid AS request_id, CASE
  WHEN EXISTS (SELECT FROM taken) THEN 'held'
  WHEN EXISTS (SELECT FROM known) THEN (SELECT state::text FROM known)
  WHEN NOT EXISTS (SELECT FROM covered) THEN 'refused'
  WHEN $9 <> '' AND NOT EXISTS (SELECT FROM capped) THEN 'capped'
  WHEN (SELECT count(*) FROM allowed) < cardinality($15::uuid[]) THEN 'over_budget:' || (
    SELECT string_agg((place - 1)::text, ',' ORDER BY place) FROM asked a WHERE NOT EXISTS (
      SELECT FROM allowed l WHERE l.budget_id = a.budget_id AND l.subject = a.subject AND l.window_start = a.window_start
    ))
  ELSE 'refused' END AS outcome`
