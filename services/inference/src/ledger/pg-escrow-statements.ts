import { usageParts } from './pg-usage-statement.ts'

/**
 * The SQL of blocks. Each statement is one transaction. Locks are taken in the order of the ledger: wallets, then blocks,
 * then requests. Wallets and blocks are written from the values that were read under their lock.
 *
 * A charge takes `FOR KEY SHARE` of its block and a seal `FOR UPDATE`, so they exclude each other: a seal waits for the
 * charges that run, and a charge that comes later finds the block sealed. A block is booked by a statement that begins
 * after its seal is committed, so its snapshot has all of its charges.
 */

/**
 * Opens a block: $1 its id, $2 wallet id, $3 desired amount, $4 least amount, $5 owner, $6 milliseconds to the deadline,
 * $7 the part of what is free that one block may take at most, as a divisor. Returns the amount; nothing when the wallet
 * is too poor, its blocks are recalled, or a process of a release without blocks runs.
 */
const openBlock = `
WITH locked AS MATERIALIZED (
  SELECT workspace_id, balance, held, version, recalled_until FROM wallet WHERE workspace_id = $2::uuid FOR NO KEY UPDATE
),
granted AS MATERIALIZED (
  SELECT workspace_id, least($3::bigint, (balance - held) / $7::bigint) AS amount FROM locked
  WHERE coalesce(recalled_until < now(), true)
    AND NOT EXISTS (SELECT FROM ledger_owner WHERE NOT knows_blocks AND heartbeat_at > now() - interval '1 minute')
),
opened AS (
  INSERT INTO escrow_block (block_id, wallet_id, owner_id, amount, deadline)
  SELECT $1::uuid, workspace_id, $5::uuid, amount, now() + $6::int * interval '1 millisecond'
  FROM granted WHERE amount >= $4::bigint
  ON CONFLICT (block_id) DO NOTHING
  RETURNING wallet_id, amount
),
reserved AS (
  UPDATE wallet w SET balance = locked.balance, held = locked.held + opened.amount, version = locked.version + 1
  FROM opened JOIN locked ON locked.workspace_id = opened.wallet_id WHERE w.workspace_id = opened.wallet_id
)
SELECT amount FROM opened`

/**
 * Marks block $1 as booked before it was opened, for an opening that may or may not commit later. If it does, it finds
 * the id taken. $2 wallet id, $3 owner.
 */
const forestallBlock = `
INSERT INTO escrow_block (block_id, wallet_id, owner_id, amount, charged, charges, state, deadline, sealed_at)
VALUES ($1::uuid, $2::uuid, $3::uuid, 0, 0, 0, 'booked', now(), now())
ON CONFLICT (block_id) DO NOTHING`

/**
 * Charges requests to their blocks: $1 request ids, $2 costs, $3 write-offs, $4 request ids of their rows in the log, $5
 * days on which those expire, $6 places in the following lists, from 1: $7 wallet ids, $8 block ids, $9 kinds, $10 models,
 * $11 price versions, $12 key ids, $13 tags, $14 aliases; again for each request: $15 prompt tokens, $16 completion tokens;
 * and of what they share $17 end users.
 * Requests of a busy workspace differ in little else than their ids and costs, so what they share is
 * sent once. Returns `all`, or the ids that it charged, separated by commas: one row for any number of requests. The
 * others were charged before, or their block is not open.
 */
const draw = `
WITH shared AS MATERIALIZED (
  SELECT * FROM unnest($7::uuid[], $8::uuid[], $9::text[], $10::text[], $11::text[], $12::uuid[], $13::text[], $14::text[],
      $17::uuid[])
    WITH ORDINALITY AS t(wallet_id, block_id, kind, model, price_version, key_id, tag, alias, end_user_id, place)
),
block AS MATERIALIZED (
  SELECT block_id, wallet_id FROM escrow_block
  WHERE block_id = ANY($8::uuid[]) AND state::text = 'open' ORDER BY block_id FOR KEY SHARE
),
drawn AS (
  INSERT INTO charge
    (request_id, wallet_id, block_id, cost, write_off, kind, model, price_version, log_request_id, log_expires_on,
      key_id, tag, alias, prompt_tokens, completion_tokens, end_user_id)
  SELECT request_id, wallet_id, block_id, cost, write_off, kind, model, price_version, log_request_id, log_expires_on,
    key_id, tag, alias, prompt_tokens, completion_tokens, end_user_id
  FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::uuid[], $5::date[], $6::bigint[], $15::int[], $16::int[])
    AS item(request_id, cost, write_off, log_request_id, log_expires_on, place, prompt_tokens, completion_tokens)
    JOIN shared USING (place) JOIN block USING (block_id, wallet_id) ORDER BY request_id
  ON CONFLICT (request_id) DO NOTHING
  RETURNING request_id
)
SELECT CASE WHEN count(*) = cardinality($1::uuid[]) THEN 'all' ELSE coalesce(string_agg(request_id::text, ','), '') END
FROM drawn`

/** The block $3 of wallet $2, locked, if it is open. */
const openBlockOf = `(
  SELECT block_id, wallet_id FROM escrow_block
  WHERE block_id = $3::uuid AND wallet_id = $2::uuid AND state::text = 'open' FOR KEY SHARE
) AS block`

/**
 * Charges one request to its block, as `draw` does, with less than half of its work: with few requests a second most charges
 * are alone. $1 request id, $2 wallet id, $3 block id, $4 cost, $5 write-off, $6 and $7 its row in the log, $8 kind, $9
 * model, $10 price version, $11 key id, $12 tag, $13 alias, $14 prompt tokens, $15 completion tokens, $16 end user; an empty text for what
 * it does not have. Returns `all` when it charged the request.
 */
const drawOne = `
INSERT INTO charge
  (request_id, wallet_id, block_id, cost, write_off, kind, model, price_version, log_request_id, log_expires_on,
    key_id, tag, alias, prompt_tokens, completion_tokens, end_user_id)
SELECT $1::uuid, wallet_id, block_id, $4::bigint, $5::bigint, $8::text, $9::text, $10::text, nullif($6::text, '')::uuid,
  nullif($7::text, '')::date, nullif($11::text, '')::uuid, $12::text, $13::text, nullif($14::text, '')::int,
  nullif($15::text, '')::int, nullif($16::text, '')::uuid
FROM ${openBlockOf}
ON CONFLICT (request_id) DO NOTHING
RETURNING 'all'`

/**
 * Charges requests that share their block and all that `draw` sends once, without its join: a process with one busy workspace has
 * no others. The parameters are those of `drawOne`, but $1, $4 to $7, $14 and $15 are lists. Returns what `draw` does.
 */
const drawAlike = `
WITH drawn AS (
  INSERT INTO charge
    (request_id, wallet_id, block_id, cost, write_off, kind, model, price_version, log_request_id, log_expires_on,
      key_id, tag, alias, prompt_tokens, completion_tokens, end_user_id)
  SELECT request_id, wallet_id, block_id, cost, write_off, $8::text, $9::text, $10::text, log_request_id, log_expires_on,
    nullif($11::text, '')::uuid, $12::text, $13::text, prompt_tokens, completion_tokens, nullif($16::text, '')::uuid
  FROM ${openBlockOf},
    unnest($1::uuid[], $4::bigint[], $5::bigint[], $6::uuid[], $7::date[], $14::int[], $15::int[])
      AS item(request_id, cost, write_off, log_request_id, log_expires_on, prompt_tokens, completion_tokens)
  ORDER BY request_id
  ON CONFLICT (request_id) DO NOTHING
  RETURNING request_id
)
SELECT CASE WHEN count(*) = cardinality($1::uuid[]) THEN 'all' ELSE coalesce(string_agg(request_id::text, ','), '') END
FROM drawn`

/**
 * Gives running requests rows of their own and takes their holds out of their blocks: $1 request ids, $2 wallet ids, $3
 * block ids, $4 holds, $5 kinds, $6 models, $7 price versions, $8 key ids, $9 tags, $10 aliases, $11 owner, $12
 * milliseconds to the deadline, $13 end users. Returns the ids that have a row. The others have none as far as the statement knows, because their block is not open.
 */
const carve = `
WITH item AS MATERIALIZED (
  SELECT t.*, known.state AS known
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::uuid[], $9::text[],
      $10::text[], $13::uuid[])
    AS t(request_id, wallet_id, block_id, hold, kind, model, price_version, key_id, tag, alias, end_user_id)
  LEFT JOIN LATERAL (SELECT state FROM billing_request b WHERE b.request_id = t.request_id LIMIT 1) AS known ON true
),
block AS MATERIALIZED (
  SELECT block_id, wallet_id, amount FROM escrow_block
  WHERE block_id = ANY($3::uuid[]) AND state::text = 'open' ORDER BY block_id FOR NO KEY UPDATE
),
carved AS (
  INSERT INTO billing_request
    (request_id, wallet_id, owner_id, hold, deadline, state, kind, model, price_version, key_id, tag, alias, end_user_id)
  SELECT request_id, wallet_id, $11::uuid, hold, now() + $12::int * interval '1 millisecond', 'open', kind, model,
    price_version, key_id, tag, alias, end_user_id
  FROM item JOIN block USING (block_id, wallet_id) WHERE known IS NULL ORDER BY request_id
  ON CONFLICT (request_id) DO NOTHING
  RETURNING request_id, hold
),
shrunk AS (
  UPDATE escrow_block b SET amount = block.amount - total.hold
  FROM (SELECT block_id, sum(carved.hold)::bigint AS hold FROM carved JOIN item USING (request_id) GROUP BY block_id) AS total
  JOIN block USING (block_id) WHERE b.block_id = total.block_id
)
SELECT request_id FROM item LEFT JOIN carved USING (request_id) WHERE known IS NOT NULL OR carved.hold IS NOT NULL`

/** Seals the blocks $1, so that they take no more charges. */
const seal = `
WITH last AS MATERIALIZED (
  SELECT block_id FROM escrow_block WHERE block_id = ANY($1::uuid[]) AND state::text = 'open' ORDER BY block_id FOR UPDATE
)
UPDATE escrow_block b SET state = 'sealed', sealed_at = now()
FROM last WHERE b.block_id = last.block_id AND b.state::text = 'open'
RETURNING b.block_id`

/** Accounts the blocks $1 that are sealed: charges their wallets, returns the rest to them, and adds their usage. */
const book = `
WITH due AS MATERIALIZED (
  SELECT block_id, wallet_id FROM escrow_block WHERE block_id = ANY($1::uuid[]) AND state::text = 'sealed'
),
locked AS MATERIALIZED (
  SELECT workspace_id, balance, held, version FROM wallet
  WHERE workspace_id IN (SELECT wallet_id FROM due) ORDER BY workspace_id FOR NO KEY UPDATE
),
parts AS MATERIALIZED (
  SELECT due.block_id, c.kind, c.model, c.key_id, c.tag, c.alias, c.end_user_id, sum(c.cost)::bigint AS cost, count(*)::int AS requests,
    sum(c.prompt_tokens) AS prompt_tokens, sum(c.completion_tokens) AS completion_tokens
  FROM due JOIN charge c USING (block_id) GROUP BY due.block_id, c.kind, c.model, c.key_id, c.tag, c.alias, c.end_user_id
),
paid_by AS MATERIALIZED (
  SELECT due.block_id, coalesce(sum(parts.cost), 0)::bigint AS charged, coalesce(sum(parts.requests), 0)::int AS charges
  FROM due LEFT JOIN parts USING (block_id) GROUP BY due.block_id
),
booked AS (
  UPDATE escrow_block b SET state = 'booked', charged = paid_by.charged, charges = paid_by.charges
  FROM paid_by, (SELECT count(*) FROM locked) AS locks_first
  WHERE b.block_id = paid_by.block_id AND b.state::text = 'sealed'
  RETURNING b.block_id, b.wallet_id, b.amount, b.charged
),
total AS (
  SELECT wallet_id, sum(amount)::bigint AS amount, sum(charged)::bigint AS charged FROM booked GROUP BY wallet_id
),
paid AS (
  UPDATE wallet w
  SET balance = locked.balance - total.charged, held = locked.held - total.amount, version = locked.version + 1
  FROM total JOIN locked ON locked.workspace_id = total.wallet_id WHERE w.workspace_id = total.wallet_id
),
entered AS (
  INSERT INTO ledger_entry (wallet_id, block_id, amount, account, reason)
  SELECT wallet_id, block_id, side.sign * charged, side.account, 'usage'
  FROM booked, (VALUES ('wallet'::ledger_account, -1), ('usage', 1)) AS side(account, sign)
  WHERE charged > 0
),
${usageParts('booked JOIN parts USING (block_id)')}
SELECT block_id FROM booked`

/**
 * Charges one request whose block takes no charges any more: $1 request id, $2 wallet id, $3 owner, $4 real cost, $5 hold,
 * $6 kind, $7 model, $8 price version, $9 and $10 its row in the log, $11 key id, $12 tag, $13 alias, $14 prompt tokens,
 * $15 completion tokens, $16 end user. Its hold was released with the block, so it can
 * charge only what is free now. It writes the row in any case. Returns nothing when the request was charged before.
 */
const drawLate = `
WITH locked AS MATERIALIZED (
  SELECT workspace_id, balance, held, version FROM wallet WHERE workspace_id = $2::uuid FOR NO KEY UPDATE
),
posted AS (
  INSERT INTO billing_request
    (request_id, wallet_id, owner_id, hold, cost, write_off, deadline, closed_at, state, kind, model, price_version,
      log_request_id, log_expires_on, key_id, tag, alias, prompt_tokens, completion_tokens, end_user_id)
  SELECT $1::uuid, workspace_id, $3::uuid, $5::bigint, charge, $4::bigint - charge, now(), now(), 'posted', $6, $7, $8,
    $9::uuid, $10::date, $11::uuid, $12, $13, $14::int, $15::int, $16::uuid
  FROM locked, LATERAL (SELECT least($4::bigint, $5::bigint, balance - held) AS charge) AS due
  WHERE NOT EXISTS (SELECT FROM charge c WHERE c.request_id = $1::uuid)
  ON CONFLICT (request_id) DO NOTHING
  RETURNING request_id, wallet_id, cost, write_off, kind, model, key_id, tag, alias, prompt_tokens, completion_tokens,
    end_user_id
),
paid AS (
  UPDATE wallet w SET balance = locked.balance - posted.cost, held = locked.held, version = locked.version + 1
  FROM posted JOIN locked ON locked.workspace_id = posted.wallet_id WHERE w.workspace_id = posted.wallet_id
),
entered AS (
  INSERT INTO ledger_entry (wallet_id, request_id, amount, account, reason)
  SELECT wallet_id, request_id, side.sign * cost, side.account, 'late_post'
  FROM posted, (VALUES ('wallet'::ledger_account, -1), ('usage', 1)) AS side(account, sign)
  WHERE cost > 0
),
${usageParts('(SELECT *, 1 AS requests FROM posted) AS part')}
SELECT cost, write_off FROM posted`

/** The wallets $1, and how many of their blocks are not booked, at one instant. */
const look = `
SELECT w.workspace_id, w.balance, w.held,
  (SELECT count(*) FROM escrow_block b WHERE b.wallet_id = w.workspace_id AND b.state <> 'booked') AS blocks
FROM wallet w WHERE w.workspace_id = ANY($1::uuid[])`

/** Recalls the blocks of wallet $1: for $2 milliseconds no process opens one, and every process gives its blocks back. */
const recall = `
WITH recalled AS (
  UPDATE wallet SET recalled_until = now() + $2::int * interval '1 millisecond', version = version + 1
  WHERE workspace_id = $1::uuid
  RETURNING workspace_id
)
SELECT pg_notify('ledger_recall', workspace_id::text)::text FROM recalled`

/**
 * Seals blocks past their deadline whose owner ended or missed $1 sweeps, and any block $2 milliseconds past its deadline,
 * at most $3 at a time. One sweep runs at a time in the database.
 */
const sealExpired = `
WITH leader AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(7402315001) AS won),
expired AS MATERIALIZED (
  SELECT b.block_id FROM leader CROSS JOIN escrow_block b LEFT JOIN ledger_owner o USING (owner_id)
  WHERE leader.won AND b.state <> 'booked' AND b.state = 'open' AND b.deadline < now()
    AND (o.owner_id IS NULL OR o.missed_sweeps >= $1::int OR b.deadline < now() - $2::int * interval '1 millisecond')
  LIMIT $3::int
),
last AS MATERIALIZED (
  SELECT b.block_id FROM escrow_block b
  WHERE b.block_id = ANY(ARRAY(SELECT block_id FROM expired)) AND b.state::text = 'open' ORDER BY b.block_id FOR UPDATE
)
UPDATE escrow_block b SET state = 'sealed', sealed_at = now()
FROM last WHERE b.block_id = last.block_id AND b.state::text = 'open'
RETURNING b.block_id`

/** Blocks that are sealed and not booked, at most $1: their owner does not live, or is about to book them. */
const sealed = `SELECT block_id FROM escrow_block WHERE state <> 'booked' AND state = 'sealed' LIMIT $1::int`

/** Every statement by name, as with the other statements of the ledger. */
export const escrowStatements = {
  openBlock,
  forestallBlock,
  draw,
  drawOne,
  drawAlike,
  carve,
  seal,
  book,
  drawLate,
  look,
  recall,
  sealExpired,
  sealed,
} as const
