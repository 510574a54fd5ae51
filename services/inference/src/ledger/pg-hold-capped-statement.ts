/**
 * Takes one hold under a spend cap: $1 request id, $2 wallet id, $3 amount, $4 kind, $5 model, $6 price version, $7
 * owner, $8 milliseconds to the deadline, $9 cap id, $10 start of its window, $11 cap, 0 for unlimited,
 * $12 key id or empty, $13 tag, $14 alias, $15 end user or empty. Returns the
 * outcome. A trigger changes the cap's own `held`, as for every other change of a request.
 *
 * The cap is written only when the hold is taken under it, so that its row never states less than the sum of its
 * window. A conflicting row is read under its lock. As with `hold`, a refusal counts only when it is repeated.
 */
export const holdCapped = `
WITH known AS MATERIALIZED (SELECT state FROM billing_request WHERE request_id = $1::uuid),
locked AS MATERIALIZED (
  SELECT workspace_id, balance, held, version FROM wallet WHERE workspace_id = $2::uuid FOR NO KEY UPDATE
),
allowed AS (
  INSERT INTO spend_cap AS c (wallet_id, cap_id, window_start, cap)
  SELECT workspace_id, $9::uuid, $10::timestamptz, $11::bigint FROM locked
  WHERE NOT EXISTS (SELECT FROM known)
    AND $3::bigint <= locked.balance - locked.held AND ($11::bigint = 0 OR $3::bigint <= $11::bigint)
  ON CONFLICT (wallet_id, cap_id, window_start) DO UPDATE SET cap = excluded.cap
  WHERE excluded.cap = 0 OR $3::bigint <= excluded.cap - c.spent - c.held
  RETURNING c.wallet_id, c.cap_id, c.window_start
),
taken AS (
  INSERT INTO billing_request
    (request_id, wallet_id, owner_id, hold, deadline, state, kind, model, price_version, cap_id, cap_window,
      key_id, tag, alias, end_user_id)
  SELECT $1::uuid, wallet_id, $7::uuid, $3::bigint, now() + $8::int * interval '1 millisecond', 'open', $4, $5, $6,
    cap_id, window_start, nullif($12, '')::uuid, $13, $14, nullif($15, '')::uuid
  FROM allowed
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
  WHEN EXISTS (SELECT FROM locked WHERE $3::bigint <= balance - locked.held) THEN 'capped'
  ELSE 'refused' END AS outcome`
