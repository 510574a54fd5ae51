/**
 * The SQL of idempotency keys. Each statement is one transaction, and the database's clock decides. A record belongs to
 * the claim whose generation it has: a write with another generation has no effect.
 */

/** True when a record may be claimed anew by a request with this fingerprint. */
const isClaimable = (record: string, fingerprint: string) => `(${record}.expires_at <= now()
  OR (${record}.state = 'running' AND ${record}.lease_until <= now() AND ${record}.fingerprint = ${fingerprint}))`

/**
 * Claims distinct keys: $1 workspace ids, $2 key hashes, $3 fingerprints, $4 milliseconds of the lease, $5 milliseconds
 * until each record is deleted. Returns for every key its place, and the generation of the claim when it was claimed,
 * else the known record.
 *
 * The conflicting row is read after the wait for its lock, while `known` is from the statement's snapshot. A key that
 * was neither claimed nor is known, or seems claimable still, was changed between the two and has to be claimed again.
 */
const claim = `
WITH item AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::bytea[], $3::bytea[], $5::int[])
    WITH ORDINALITY AS t(workspace_id, key_hash, fingerprint, keep_ms, place)
),
claimed AS (
  INSERT INTO idempotency_record AS r (workspace_id, key_hash, fingerprint, state, generation, lease_until, expires_at)
  SELECT workspace_id, key_hash, fingerprint, 'running', floor(extract(epoch FROM now()) * 1000000)::bigint,
    now() + $4::int * interval '1 millisecond', now() + keep_ms * interval '1 millisecond'
  FROM item ORDER BY workspace_id, key_hash
  ON CONFLICT (workspace_id, key_hash) DO UPDATE SET
    fingerprint = excluded.fingerprint, state = 'running', generation = greatest(r.generation + 1, excluded.generation),
    lease_until = excluded.lease_until, expires_at = excluded.expires_at,
    status = NULL, dialect = NULL, served_model = NULL, headers = NULL, body = NULL, cost = NULL
  WHERE ${isClaimable('r', 'excluded.fingerprint')}
  RETURNING workspace_id, key_hash, generation
)
SELECT claimed.generation AS claimed, known.*
FROM item LEFT JOIN claimed USING (workspace_id, key_hash)
LEFT JOIN LATERAL (
  SELECT k.state, k.generation, k.fingerprint = item.fingerprint AS same, ${isClaimable('k', 'item.fingerprint')} AS claimable,
    k.status, k.dialect, k.served_model, k.headers, k.cost, CASE WHEN k.fingerprint = item.fingerprint THEN k.body END AS body
  FROM idempotency_record k
  WHERE claimed.generation IS NULL AND k.workspace_id = item.workspace_id AND k.key_hash = item.key_hash LIMIT 1
) AS known ON true
ORDER BY item.place`

const mine = `unnest($1::uuid[], $2::bytea[], $3::bigint[]) WITH ORDINALITY AS t(workspace_id, key_hash, generation, place)`
const isMine = 'r.workspace_id = t.workspace_id AND r.key_hash = t.key_hash AND r.generation = t.generation'

/** Renews leases: $1 workspace ids, $2 key hashes, $3 generations, $4 milliseconds. Returns the renewed places. */
const extend = `
UPDATE idempotency_record r SET lease_until = now() + $4::int * interval '1 millisecond'
FROM ${mine} WHERE ${isMine} AND r.state = 'running' RETURNING t.place`

/** Abandons claims: $1 workspace ids, $2 key hashes, $3 generations. An answer is never abandoned. */
const abandon = `
DELETE FROM idempotency_record r USING ${mine} WHERE ${isMine} AND r.state = 'running' RETURNING t.place`

/**
 * Records answers: $1 workspace ids, $2 key hashes, $3 generations, $4 statuses, $5 dialects, $6 models, $7 headers, $8
 * costs, $9 and $10 the start (from 1) and the length of each body in $11, which is all bodies concatenated: a single
 * value is sent as binary, an array of them would be sent as text. $12 milliseconds until each is deleted. Returns the
 * recorded places.
 */
const record = `
UPDATE idempotency_record r
SET state = 'answered', status = t.status, dialect = t.dialect, served_model = t.served_model, headers = t.headers::jsonb,
  cost = t.cost, body = substring($11::bytea FROM t.body_start FOR t.body_length),
  expires_at = now() + t.keep_ms * interval '1 millisecond'
FROM unnest($1::uuid[], $2::bytea[], $3::bigint[], $4::int[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::int[], $10::int[], $12::int[])
  WITH ORDINALITY
  AS t(workspace_id, key_hash, generation, status, dialect, served_model, headers, cost, body_start, body_length, keep_ms, place)
WHERE ${isMine} RETURNING t.place`

/**
 * Counts the bytes of answers that cost nothing: $1 workspace ids, $2 bytes, $3 milliseconds until each is deleted, $4 the
 * maximum of a workspace. Returns the places of those that fit. Statements that run at the same time may exceed the
 * maximum by their own bytes.
 */
const countFree = `
WITH item AS MATERIALIZED (
  SELECT *, sum(bytes) OVER (PARTITION BY workspace_id ORDER BY place) AS so_far
  FROM unnest($1::uuid[], $2::int[], $3::int[]) WITH ORDINALITY AS t(workspace_id, bytes, keep_ms, place)
),
held AS (
  SELECT workspace_id, sum(bytes) AS bytes FROM free_answer_bytes
  WHERE workspace_id = ANY($1::uuid[]) AND expires_on >= current_date GROUP BY workspace_id
),
fitting AS (
  SELECT item.*, (now() + keep_ms * interval '1 millisecond')::date AS expires_on
  FROM item LEFT JOIN held USING (workspace_id) WHERE so_far + coalesce(held.bytes, 0) <= $4::bigint
),
counted AS (
  INSERT INTO free_answer_bytes AS f (workspace_id, expires_on, bytes)
  SELECT workspace_id, expires_on, sum(bytes) FROM fitting GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (workspace_id, expires_on) DO UPDATE SET bytes = f.bytes + excluded.bytes
)
SELECT place FROM fitting`

/** Deletes the counts of answers that cost nothing and are deleted. */
const sweepFree = `DELETE FROM free_answer_bytes WHERE expires_on < current_date`

/** Deletes at most $1 expired records. Any number of processes may sweep at once. */
const sweep = `
WITH over AS MATERIALIZED (
  SELECT workspace_id, key_hash FROM idempotency_record
  WHERE expires_at <= now() ORDER BY expires_at LIMIT $1::int FOR UPDATE SKIP LOCKED
)
DELETE FROM idempotency_record r USING over WHERE r.workspace_id = over.workspace_id AND r.key_hash = over.key_hash
RETURNING 1 AS one`

/**
 * Every statement by name. A test can replace one by a statement without its condition, to show that the condition is
 * needed.
 */
export const idempotencyStatements = { claim, extend, abandon, record, countFree, sweep, sweepFree } as const

export type IdempotencyStatements = Readonly<Record<keyof typeof idempotencyStatements, string>>
