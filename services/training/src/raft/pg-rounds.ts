import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { withinQuota } from '@ratchet/work-kit/storage/within-quota'
import { type RoundRow, roundOf, type ShownRow, shownOf } from './pg-round-row.ts'
import { heldOutSamples, type NewRound, type RoundStore } from './round.ts'

/** Rounds in Postgres, as the API reads and changes them. */
export function createPgRounds(pool: Pool): RoundStore {
  return {
    create: (round) => withinQuota(() => inTransaction(pool, (client) => create(client, round))),
    async get({ workspaceId, id }) {
      const { rows } = await pool.query<ShownRow>(getStatement, [workspaceId, id])
      return rows[0] === undefined ? null : shownOf(rows[0])
    },
    async list({ workspaceId, status = null, criterionId = null, chainId = null, limit, offset }) {
      const filter = [workspaceId, status, criterionId, chainId]
      const [counted, { rows }] = await Promise.all([
        pool.query<{ total: number }>(countStatement, filter),
        pool.query<ShownRow>(listStatement, [...filter, limit, offset]),
      ])
      return { total: counted.rows[0]?.total ?? 0, rounds: rows.map(shownOf) }
    },
    async doneOfChain({ workspaceId, chainId }) {
      const { rows } = await pool.query<RoundRow>(doneStatement, [workspaceId, chainId])
      return rows.map(roundOf)
    },
    async countUnfinished(workspaceId) {
      const { rows } = await pool.query<{ rounds: number }>(unfinishedStatement, [workspaceId])
      return rows[0]?.rounds ?? 0
    },
    cancel: async ({ workspaceId, id }, at) =>
      (await pool.query(cancelStatement, [workspaceId, id, at])).rowCount === 1,
    resume: async ({ workspaceId, id }) => (await pool.query(resumeStatement, [workspaceId, id])).rowCount === 1,
  }
}

/** Keeps these advisory locks apart from those of other tables. */
const lockSeed = 0x7261_6674

async function create(client: PoolClient, round: NewRound): Promise<boolean> {
  const { id, workspaceId, settings, train, heldOut, chainId } = round
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [chainId, lockSeed])
  const { rowCount } = await client.query(createStatement, [
    ...[
      id,
      workspaceId,
      round.name,
      round.baseModel,
      round.startModel,
      round.startVersionId,
      chainId,
      round.roundIndex,
    ],
    ...[round.previousRoundId, round.judges[0]?.criterionId, round.sourceDatasetId, JSON.stringify(settings)],
    ...[JSON.stringify(round.judges), JSON.stringify(round.warnings), String(round.maxCostNano)],
    ...[round.createdBy, round.createdAt],
  ])
  if (rowCount !== 1) return false
  const prompts = [...train, ...heldOut].map((prompt, index) => ({
    prompt_index: index,
    held_out: index >= train.length,
    prompt: JSON.stringify(prompt),
  }))
  for (let from = 0; from < prompts.length; from += promptsPerStatement) {
    const part = JSON.stringify(prompts.slice(from, from + promptsPerStatement))
    await client.query(promptStatement, [workspaceId, id, part])
  }
  await client.query(sampleStatement, [workspaceId, id, 'train', settings.request.samplesPerPrompt, false])
  await client.query(sampleStatement, [workspaceId, id, 'before', heldOutSamples, true])
  return true
}

const promptsPerStatement = 200

/** One round of a chain at a time. */
const createStatement = `
  INSERT INTO raft_round (id, workspace_id, name, base_model, start_model, start_version_id, chain_id, round_index,
    previous_round_id, criterion_id, source_dataset_id, settings, judges, warnings, max_cost_nano, created_by, created_at)
  SELECT $1, $2, $3, $4, $5, $6::uuid, $7::uuid, $8, $9::uuid, $10, $11, $12, $13, $14, $15, $16, $17
  WHERE NOT EXISTS (
    SELECT FROM raft_round o WHERE o.workspace_id = $2 AND o.chain_id = $7 AND o.status NOT IN ('done', 'failed', 'cancelled'))
  RETURNING pg_notify('ratchet_work', '')`

const promptStatement = `
  INSERT INTO raft_prompt (round_id, prompt_index, workspace_id, held_out, prompt)
  SELECT $2, p.prompt_index, $1, p.held_out, p.prompt
  FROM json_to_recordset($3::json) AS p(prompt_index int, held_out boolean, prompt text)`

const sampleStatement = `
  INSERT INTO raft_sample (round_id, part, prompt_index, sample_index, workspace_id)
  SELECT p.round_id, $3, p.prompt_index, s.index, p.workspace_id
  FROM raft_prompt p CROSS JOIN generate_series(0, $4::int - 1) AS s(index)
  WHERE p.workspace_id = $1 AND p.round_id = $2 AND p.held_out = $5
  ON CONFLICT DO NOTHING`

/** Jobs that ended before a resumption are charged too. */
const shown = `
  r.*, s.generated, s.judged, s.accepted, s.samples_nano::text AS samples_nano, j.job_nano::text AS job_nano,
  (SELECT nullif(t.after_eval_id, '') FROM training_job t WHERE t.id = r.job_id AND t.workspace_id = r.workspace_id) AS eval_id
  FROM raft_round r
  CROSS JOIN LATERAL (
    SELECT (count(*) FILTER (WHERE part = 'train' AND completion IS NOT NULL))::int AS generated,
      (count(*) FILTER (WHERE part = 'train' AND state = 'judged' AND verdict IS NOT NULL))::int AS judged,
      (count(*) FILTER (WHERE part = 'train' AND verdict = 'pass'
        AND (json_array_length(r.judges::json) = 1 OR second_verdict = 'pass')))::int AS accepted,
      coalesce(sum(cost_nano), 0) AS samples_nano
    FROM raft_sample WHERE round_id = r.id AND workspace_id = r.workspace_id
  ) s
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(cost_nano), 0) AS job_nano FROM training_job
    WHERE producer_id = r.id AND workspace_id = r.workspace_id
  ) j`

const getStatement = `SELECT ${shown} WHERE r.workspace_id = $1 AND r.id = $2`
const filters = `r.workspace_id = $1 AND ($2::text IS NULL OR r.status = $2)
  AND ($3::uuid IS NULL OR r.criterion_id = $3) AND ($4::uuid IS NULL OR r.chain_id = $4)`
const listStatement = `SELECT ${shown} WHERE ${filters} ORDER BY r.created_at DESC, r.id DESC LIMIT $5 OFFSET $6`
const countStatement = `SELECT count(*)::int AS total FROM raft_round r WHERE ${filters}`
const doneStatement = `
  SELECT * FROM raft_round WHERE workspace_id = $1 AND chain_id = $2 AND status = 'done' ORDER BY round_index, created_at`

const unfinishedStatement = `
  SELECT count(*)::int AS rounds FROM raft_round
  WHERE workspace_id = $1 AND status NOT IN ('done', 'failed', 'cancelled')`

/** The generation changes, so that a worker that has it leased stores nothing more. */
const cancelStatement = `
  UPDATE raft_round SET status = 'cancelled', status_message = NULL, finished_at = $3, generation = generation + 1
  WHERE workspace_id = $1 AND id = $2 AND status NOT IN ('done', 'failed', 'cancelled')`

/** A round that stopped while it was trained begins with another job, unless its job still goes on. */
const resumeStatement = `
  UPDATE raft_round r SET status = r.stage, status_message = NULL, error_code = NULL, finished_at = NULL,
    leased_until = NULL, attempts = 0, generation = r.generation + 1,
    job_id = CASE WHEN r.stage = 'training' AND EXISTS (
      SELECT FROM training_job j WHERE j.id = r.job_id AND j.workspace_id = r.workspace_id AND j.status IN ('failed', 'cancelled')
    ) THEN NULL ELSE r.job_id END
  WHERE r.workspace_id = $1 AND r.id = $2 AND r.status IN ('failed', 'cancelled') AND NOT EXISTS (
    SELECT FROM raft_round o WHERE o.workspace_id = $1 AND o.chain_id = r.chain_id AND o.id <> r.id
      AND o.status NOT IN ('failed', 'cancelled') AND o.round_index >= r.round_index)
  RETURNING pg_notify('ratchet_work', '')`
