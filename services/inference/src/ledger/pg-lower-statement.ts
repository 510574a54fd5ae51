/**
 * Lowers an open hold of a job or a batch: $1 its id, $2 wallet id, $3 what it keeps. It never grows, so that a repetition
 * sets nothing free. Locks are taken in the order of the ledger: the wallet, then the hold.
 */
export const lowerHold = `
WITH locked AS MATERIALIZED (
  SELECT workspace_id, balance, held, version FROM wallet WHERE workspace_id = $2::uuid FOR NO KEY UPDATE
),
mine AS MATERIALIZED (
  SELECT b.request_id, b.hold, b.taken, b.job_cost, b.job_cost_before, greatest(b.hold - $3::bigint, 0) AS freed
  FROM locked JOIN billing_request b ON b.request_id = $1::uuid AND b.wallet_id = locked.workspace_id
  WHERE b.state = 'open' AND b.taken IS NOT NULL FOR NO KEY UPDATE OF b
),
lowered AS (
  UPDATE billing_request b
  SET hold = mine.hold - mine.freed, taken = mine.taken - mine.freed, job_cost = mine.job_cost,
    job_cost_before = mine.job_cost_before, deadline = greatest(b.deadline, now() + interval '1 day')
  FROM mine WHERE b.request_id = mine.request_id
),
paid AS (
  UPDATE wallet w SET balance = locked.balance, held = locked.held - mine.freed, version = locked.version + 1
  FROM locked JOIN mine ON mine.freed > 0 WHERE w.workspace_id = locked.workspace_id
)
SELECT mine.freed::text FROM mine`
