import type { DatasetProgress } from '@ratchet/contracts/dataset-progress'
import { nanoToUsd } from '@ratchet/contracts/money'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { createPgRunLeases } from '@ratchet/work-kit/leases/pg-run-leases'
import { withinQuota } from '@ratchet/work-kit/storage/within-quota'
import type { OpenSample, RoundPrompt } from '../raft/round.ts'
import {
  type Distillation,
  type DistillationStore,
  type DistillationWork,
  type DrivenDistillation,
  maxOutputTokens,
  type NewDistillation,
} from './distillation.ts'

type DistillationRow = Row<'distillation', { status: Distillation['status'] }>

/** Distillations in Postgres, as the API starts them. */
export function createPgDistillations(pool: Pool): DistillationStore {
  return {
    create: (distillation) => withinQuota(() => inTransaction(pool, (client) => create(client, distillation))),
    async countUnfinished(workspaceId) {
      const { rows } = await pool.query<{ count: number }>(unfinishedStatement, [workspaceId])
      return rows[0]?.count ?? 0
    },
    async get({ workspaceId, id }) {
      const { rows } = await pool.query<DistillationRow>(getStatement, [workspaceId, id])
      return rows[0] === undefined ? null : distillationOf(rows[0])
    },
    async open({ workspaceId, id }) {
      await pool.query(openStatement, [workspaceId, id])
    },
  }
}

/** Distillations in Postgres, as workers drive them. An answer or verdict that is stored stays as it is. */
export function createPgDistillationWork(pool: Pool): DistillationWork {
  const { take, renew, release } = createPgRunLeases<DistillationRow, DrivenDistillation>(
    pool,
    { table: 'distillation', open: `r.status = 'open'`, ready: 'true' },
    (row) => ({ ...distillationOf(row), generation: row.generation, attempts: row.attempts }),
  )
  return {
    take,
    renew,
    release,
    async open({ workspaceId, id }, state, limit) {
      const { rows } = await pool.query<SampleRow>(samplesStatement, [workspaceId, id, state, limit])
      return rows.map(sampleOf)
    },
    async countOpen({ workspaceId, id }) {
      const { rows } = await pool.query<{ asked: number; answered: number }>(countStatement, [workspaceId, id])
      return rows[0] ?? { asked: 0, answered: 0 }
    },
    async answer({ workspaceId, id }, { promptIndex, sampleIndex }, { completion, costNano }) {
      const text = completion === null ? null : JSON.stringify(completion)
      await pool.query(answerStatement, [workspaceId, id, promptIndex, sampleIndex, text, String(costNano)])
    },
    async judge({ workspaceId, id }, { promptIndex, sampleIndex }, { verdict, costNano }) {
      await pool.query(judgeStatement, [workspaceId, id, promptIndex, sampleIndex, verdict, String(costNano)])
    },
    // Everything that it costs are its answers and verdicts.
    costs: async () => ({ samplesNano: 0n, beforeNano: 0n, jobNano: 0n }),
    async progress({ workspaceId, id }) {
      const { rows } = await pool.query<ProgressRow>(progressStatement, [workspaceId, id])
      return progressOf(rows[0])
    },
    async cap({ workspaceId, id, generation }) {
      await pool.query(capStatement, [workspaceId, id, generation])
    },
    async kept({ workspaceId, id, judges }) {
      const { rows } = await pool.query<KeptRow>(keptStatement, [workspaceId, id, judges.length > 0])
      return rows.map(({ prompt, completion }) => ({
        prompt: JSON.parse(prompt) as RoundPrompt,
        completion: JSON.parse(completion),
      }))
    },
    async forget(before) {
      await pool.query(forgetStatement, [before])
    },
    async end({ workspaceId, id, generation }, status, at) {
      await pool.query(endStatement, [workspaceId, id, generation, status, at])
    },
  }
}

function distillationOf(row: DistillationRow): Distillation {
  const request = JSON.parse(row.request) as Distillation['request']
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    status: row.status,
    isCapped: row.capped,
    request,
    settings: { seed: request.seed, request: { temperature: request.temperature, topP: 1, maxOutputTokens } },
    judges: JSON.parse(row.judges) as Distillation['judges'],
    maxCostNano: BigInt(row.max_cost_nano),
    createdBy: row.created_by,
    createdAt: row.created_at,
  }
}

interface SampleRow {
  readonly prompt_index: number
  readonly sample_index: number
  readonly completion: string | null
  readonly prompt: string
}

function sampleOf({ prompt_index, sample_index, completion, prompt }: SampleRow): OpenSample {
  return {
    part: 'train',
    promptIndex: prompt_index,
    sampleIndex: sample_index,
    prompt: JSON.parse(prompt) as RoundPrompt,
    completion: completion === null ? null : JSON.parse(completion),
  }
}

interface KeptRow {
  readonly prompt: string
  readonly completion: string
}

interface ProgressRow extends Omit<DatasetProgress, 'cost_usd'> {
  readonly cost_nano: string
}

function progressOf(row: ProgressRow | undefined): DatasetProgress {
  if (row === undefined) throw new Error('A distillation has samples.')
  const { cost_nano: costNano, ...counts } = row
  return { ...counts, cost_usd: nanoToUsd(BigInt(costNano)) }
}

async function create(client: PoolClient, distillation: NewDistillation): Promise<void> {
  const { id, workspaceId, request, judges, maxCostNano, createdBy, createdAt, prompts } = distillation
  const texts = [JSON.stringify(request), JSON.stringify(judges)]
  await client.query(createStatement, [id, workspaceId, ...texts, String(maxCostNano), createdBy, createdAt])
  for (let from = 0; from < prompts.length; from += promptsPerStatement) {
    const rows = prompts
      .slice(from, from + promptsPerStatement)
      .map((prompt, index) => ({ prompt_index: from + index, prompt: JSON.stringify(prompt) }))
    await client.query(promptStatement, [workspaceId, id, JSON.stringify(rows)])
  }
  await client.query(sampleStatement, [workspaceId, id, request.samples_per_prompt])
}

const promptsPerStatement = 200

const unfinishedStatement = `
  SELECT count(*)::int AS count FROM distillation WHERE workspace_id = $1 AND status IN ('new', 'open')`

const createStatement = `
  INSERT INTO distillation (id, workspace_id, request, judges, max_cost_nano, created_by, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`

const promptStatement = `
  INSERT INTO distill_prompt (distillation_id, prompt_index, workspace_id, prompt)
  SELECT $2, p.prompt_index, $1, p.prompt FROM json_to_recordset($3::json) AS p(prompt_index int, prompt text)`

const sampleStatement = `
  INSERT INTO distill_sample (distillation_id, prompt_index, sample_index, workspace_id)
  SELECT p.distillation_id, p.prompt_index, s.index, p.workspace_id
  FROM distill_prompt p CROSS JOIN generate_series(0, $3::int - 1) AS s(index)
  WHERE p.workspace_id = $1 AND p.distillation_id = $2`

const getStatement = 'SELECT * FROM distillation WHERE workspace_id = $1 AND id = $2'

const openStatement = `
  UPDATE distillation SET status = 'open' WHERE workspace_id = $1 AND id = $2 AND status = 'new'
  RETURNING pg_notify('ratchet_work', '')`

const ofDistillation = 's.workspace_id = $1 AND s.distillation_id = $2'
const ofSample = `${ofDistillation} AND s.prompt_index = $3 AND s.sample_index = $4`
const withPrompt = `
  JOIN distill_prompt p ON p.distillation_id = s.distillation_id AND p.prompt_index = s.prompt_index
    AND p.workspace_id = s.workspace_id`

const samplesStatement = `
  SELECT s.prompt_index, s.sample_index, s.completion, p.prompt FROM distill_sample s ${withPrompt}
  WHERE ${ofDistillation} AND s.state = $3 ORDER BY s.prompt_index, s.sample_index LIMIT $4`

const countStatement = `
  SELECT (count(*) FILTER (WHERE s.state = 'asked'))::int AS asked, (count(*) FILTER (WHERE s.state = 'answered'))::int AS answered
  FROM distill_sample s WHERE ${ofDistillation} AND s.state IN ('asked', 'answered')`

const answerStatement = `
  UPDATE distill_sample s SET completion = $5, state = CASE WHEN $5::text IS NULL THEN 'refused' ELSE 'answered' END,
    cost_nano = s.cost_nano + $6
  WHERE ${ofSample} AND s.state = 'asked'`

const judgeStatement = `
  UPDATE distill_sample s SET verdict = $5, state = 'judged', cost_nano = s.cost_nano + $6
  WHERE ${ofSample} AND s.state = 'answered'`

const progressStatement = `
  SELECT count(*)::int AS samples,
    (count(*) FILTER (WHERE s.state IN ('answered', 'judged')))::int AS answered,
    (count(*) FILTER (WHERE s.state = 'refused'))::int AS refused,
    (count(*) FILTER (WHERE s.verdict IS NOT NULL))::int AS judged,
    (count(*) FILTER (WHERE s.verdict = 'pass' OR (s.state = 'answered' AND json_array_length(r.judges::json) = 0)))::int AS passed,
    sum(s.cost_nano)::text AS cost_nano
  FROM distill_sample s JOIN distillation r ON r.id = s.distillation_id AND r.workspace_id = s.workspace_id
  WHERE ${ofDistillation} GROUP BY r.id`

const keptStatement = `
  SELECT p.prompt, s.completion FROM distill_sample s ${withPrompt}
  WHERE ${ofDistillation} AND (s.verdict = 'pass' OR (s.state = 'answered' AND NOT $3)) AND s.completion IS NOT NULL
  ORDER BY s.prompt_index, s.sample_index`

const held = 'workspace_id = $1 AND id = $2 AND generation = $3'

const capStatement = `UPDATE distillation SET capped = true WHERE ${held}`

const endStatement = `UPDATE distillation SET status = $4, finished_at = $5 WHERE ${held} AND status = 'open'`

/** Of all workspaces. Prompts and samples are deleted with it. */
const forgetStatement = `
  DELETE FROM distillation WHERE id IN (
    SELECT d.id FROM distillation d
    WHERE d.finished_at < $1 OR (d.status = 'new' AND d.created_at < $1) LIMIT 100)`
