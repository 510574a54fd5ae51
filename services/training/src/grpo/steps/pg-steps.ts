import type { GrpoRollout } from '@ratchet/contracts/grpo-protocol'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import type { GrpoPrompt } from '../runs/read-prompts.ts'
import type { FrozenJudge, RunSettings } from '../runs/run-settings.ts'
import { readHistory } from './pg-history.ts'
import type { AttemptRun, StepStore, StoredReward, StoredStep } from './step.ts'
import { storableJson } from './storable-json.ts'

/** Steps of running attempts, in Postgres. */
export function createPgSteps(pool: Pool): StepStore {
  return {
    async run({ jobId, generation }) {
      const { rows } = await pool.query<AttemptRunRow>(runStatement, [jobId, generation])
      return rows[0] === undefined ? null : attemptRunOf(rows[0], generation)
    },
    async find({ jobId, workspaceId }, kind, step) {
      const { rows } = await pool.query<StepRow>(findStatement, [jobId, workspaceId, kind, step])
      return rows[0] === undefined ? null : stepOf(rows[0])
    },
    async create({ jobId, workspaceId, generation }, { id, kind, step, groups, samples }) {
      const values = [id, jobId, workspaceId, kind, step, JSON.stringify(groups), groups.length, samples, generation]
      await pool.query(createStatement, values)
    },
    async prompts({ jobId, workspaceId }, kind, places) {
      const part = kind === 'look' ? 'guard' : 'train'
      const { rows } = await pool.query<PromptRow>(promptsStatement, [jobId, workspaceId, part, [...places]])
      return rows.map(promptOf)
    },
    async rollouts({ workspaceId }, { id }) {
      const { rows } = await pool.query<RolloutRow>(rolloutsStatement, [id, workspaceId])
      return rows.map(rolloutOf)
    },
    addRollouts: ({ jobId, workspaceId, generation }, step, rollouts) =>
      inTransaction(pool, async (client) => {
        const locked = await client.query<{ state: string }>(lockStatement, [step.id, workspaceId, jobId, generation])
        if (locked.rows[0] === undefined) return null
        if (locked.rows[0].state === 'sampling') {
          const rows = storableJson(rollouts.map(columnsOf))
          await client.query(addStatement, [step.id, jobId, workspaceId, rows])
        }
        const { rows } = await client.query<{ stored: number }>(countStatement, [step.id, workspaceId])
        const stored = rows[0]?.stored ?? 0
        if (stored >= step.groups.length * step.samples) await client.query(completeStatement, [step.id, workspaceId])
        return stored
      }),
    async rewards({ workspaceId }, { id }) {
      const { rows } = await pool.query<RewardRow>(rewardsStatement, [id, workspaceId])
      return rows.map(rewardOf)
    },
    async setTrained({ workspaceId, jobId, generation }, { id }, { trainedTokens, stats }) {
      const attempt = [id, workspaceId, jobId, generation]
      const first = await pool.query(trainedStatement, [...attempt, trainedTokens, JSON.stringify(stats)])
      if (first.rowCount === 1) return true
      await pool.query(replayedStatement, attempt)
      return false
    },
    history: (run) => readHistory(pool, run),
    async setFinish({ jobId, workspaceId }, { step, reason }) {
      await pool.query(finishStatement, [jobId, workspaceId, step, reason])
    },
  }
}

const runStatement = `
  SELECT r.id, r.workspace_id, r.settings, r.judges, r.prompts_sha256, r.finish_step,
    coalesce(r.resumed_at, r.created_at) AS counts_from, j.asked, j.created_by,
    (SELECT coalesce(max(s.step), 0) FROM grpo_step s WHERE s.run_id = r.id AND s.kind = 'step') AS last_step,
    (SELECT coalesce(max(s.step), 0) FROM grpo_step s
     WHERE s.run_id = r.id AND s.kind = 'step' AND s.state = 'trained') AS last_trained,
    (SELECT coalesce(sum(jsonb_array_length(s.groups::jsonb)), 0) FROM grpo_step s
     WHERE s.run_id = r.id AND s.kind = 'step')::int AS used_groups
  FROM training_attempt a JOIN training_job j ON j.id = a.job_id JOIN grpo_run r ON r.id = a.job_id
  WHERE a.job_id = $1 AND a.generation = $2 AND a.ended_at IS NULL`

const findStatement = `
  SELECT s.id, s.kind, s.step, s.state, s.groups, s.samples, s.resamples, s.trained_tokens FROM grpo_step s
  WHERE s.run_id = $1 AND s.workspace_id = $2 AND s.kind = $3 AND s.step = $4`

const createStatement = `
  INSERT INTO grpo_step (id, run_id, kind, step, workspace_id, groups, first_groups, samples, created_at)
  SELECT $1, $2, $4, $5, $3, $6, $7, $8, now() FROM training_attempt a
  WHERE a.job_id = $2 AND a.workspace_id = $3 AND a.generation = $9 AND a.ended_at IS NULL
  ON CONFLICT (run_id, kind, step) DO NOTHING`

const promptsStatement = `
  SELECT p.messages, p.tools, p.reference FROM unnest($4::int[]) WITH ORDINALITY AS asked(place, at)
    JOIN grpo_prompt p ON p.run_id = $1 AND p.workspace_id = $2 AND p.part = $3 AND p.place = asked.place
  ORDER BY asked.at`

const rolloutsStatement = `
  SELECT o."group", o.index, o.completion, o.token_ids, o.logprobs, o.token_mask, o.sampled_tokens, o.truncated, o.entropy,
    o.adapter_version
  FROM grpo_rollout o WHERE o.step_id = $1 AND o.workspace_id = $2 ORDER BY o."group", o.index`

/** The attempt cannot end, and nobody else can add answers, before the transaction is over. */
const lockStatement = `
  SELECT s.state FROM grpo_step s JOIN training_attempt a ON a.job_id = s.run_id
  WHERE s.id = $1 AND s.workspace_id = $2 AND a.job_id = $3 AND a.generation = $4 AND a.ended_at IS NULL FOR UPDATE`

const addStatement = `
  INSERT INTO grpo_rollout (id, step_id, run_id, workspace_id, "group", index, completion, token_ids, logprobs, token_mask,
    sampled_tokens, truncated, entropy, adapter_version, created_at)
  SELECT o.id, $1, $2, $3, o."group", o.index, o.completion, o.token_ids, o.logprobs, o.token_mask, o.sampled_tokens,
    o.truncated, o.entropy, o.adapter_version, now()
  FROM jsonb_to_recordset($4::jsonb) AS o(id uuid, "group" int, index int, completion text, token_ids text, logprobs text,
    token_mask text, sampled_tokens int, truncated boolean, entropy float8, adapter_version int)
  ON CONFLICT (step_id, "group", index) DO NOTHING`

const countStatement = `
  SELECT count(*)::int AS stored FROM grpo_rollout o WHERE o.step_id = $1 AND o.workspace_id = $2`

const completeStatement = `
  UPDATE grpo_step s SET state = 'judging', leased_until = NULL, attempts = 0, sampled_tokens = (
    SELECT sum(o.sampled_tokens) FROM grpo_rollout o WHERE o.step_id = s.id AND o.workspace_id = s.workspace_id)
  FROM (SELECT pg_notify('ratchet_work', '')) AS announced
  WHERE s.id = $1 AND s.workspace_id = $2 AND s.state = 'sampling'`

const rewardsStatement = `
  SELECT o."group", o.index, o.reward, o.advantage, o.used FROM grpo_rollout o
  WHERE o.step_id = $1 AND o.workspace_id = $2 ORDER BY o."group", o.index`

const trainedStatement = `
  UPDATE grpo_step s SET state = 'trained', trained_at = now(), trained_by = $4,
    trained_tokens = least($5::bigint, s.sampled_tokens), stats = $6
  FROM training_attempt a
  WHERE s.id = $1 AND s.workspace_id = $2 AND s.state = 'rewarded' AND a.job_id = $3 AND a.generation = $4
    AND a.ended_at IS NULL`

/** The attempt that trained it first may say so twice. */
const replayedStatement = `
  UPDATE grpo_step s SET replayed = true FROM training_attempt a
  WHERE s.id = $1 AND s.workspace_id = $2 AND s.state = 'trained' AND s.trained_by < $4 AND NOT s.replayed
    AND a.job_id = $3 AND a.generation = $4 AND a.ended_at IS NULL`

const finishStatement = `
  UPDATE grpo_run r SET finish_step = $3, finish_reason = $4
  WHERE r.id = $1 AND r.workspace_id = $2 AND r.finish_step IS NULL`

interface AttemptRunRow
  extends Pick<Row<'grpoRun'>, 'id' | 'workspace_id' | 'settings' | 'judges' | 'prompts_sha256' | 'finish_step'>,
    Pick<Row<'trainingJob'>, 'asked' | 'created_by'> {
  readonly counts_from: Date
  readonly last_step: number
  readonly last_trained: number
  readonly used_groups: number
}

function attemptRunOf(row: AttemptRunRow, generation: number): AttemptRun {
  return {
    jobId: row.id,
    generation,
    workspaceId: row.workspace_id,
    createdBy: row.created_by,
    settings: JSON.parse(row.settings) as RunSettings,
    judges: JSON.parse(row.judges) as FrozenJudge[],
    promptsSha256: row.prompts_sha256,
    asked: row.asked as AttemptRun['asked'],
    finishStep: row.finish_step,
    countsFrom: row.counts_from,
    lastStep: row.last_step,
    lastTrained: row.last_trained,
    usedGroups: row.used_groups,
  }
}

type StepRow = Pick<
  Row<'grpoStep'>,
  'id' | 'kind' | 'step' | 'state' | 'groups' | 'samples' | 'resamples' | 'trained_tokens'
>

function stepOf(row: StepRow): StoredStep {
  return {
    id: row.id,
    kind: row.kind as StoredStep['kind'],
    step: row.step,
    state: row.state as StoredStep['state'],
    groups: JSON.parse(row.groups) as number[],
    samples: row.samples,
    resamples: row.resamples,
    trainedTokens: row.trained_tokens === null ? null : Number(row.trained_tokens),
  }
}

type PromptRow = Pick<Row<'grpoPrompt'>, 'messages' | 'tools' | 'reference'>

export function promptOf({ messages, tools, reference }: PromptRow): GrpoPrompt {
  return {
    messages: JSON.parse(messages) as GrpoPrompt['messages'],
    tools: tools === null ? null : (JSON.parse(tools) as GrpoPrompt['tools']),
    reference,
  }
}

type RolloutColumns =
  | 'completion'
  | 'token_ids'
  | 'logprobs'
  | 'token_mask'
  | 'sampled_tokens'
  | 'truncated'
  | 'entropy'
type RolloutRow = Pick<Row<'grpoRollout'>, RolloutColumns | 'group' | 'index' | 'adapter_version'>

function columnsOf({ completion, token_ids, logprobs, token_mask, ...rest }: GrpoRollout & { readonly id: string }) {
  return {
    ...rest,
    completion: JSON.stringify(completion),
    token_ids: JSON.stringify(token_ids),
    logprobs: JSON.stringify(logprobs),
    token_mask: token_mask === null ? null : JSON.stringify(token_mask),
  }
}

function rolloutOf(row: RolloutRow): GrpoRollout {
  return {
    group: row.group,
    index: row.index,
    completion: JSON.parse(row.completion) as GrpoRollout['completion'],
    token_ids: JSON.parse(row.token_ids) as number[],
    logprobs: JSON.parse(row.logprobs) as number[],
    token_mask: row.token_mask === null ? null : (JSON.parse(row.token_mask) as (0 | 1)[]),
    sampled_tokens: row.sampled_tokens,
    truncated: row.truncated,
    entropy: row.entropy,
    adapter_version: row.adapter_version,
  }
}

type RewardRow = Pick<Row<'grpoRollout'>, 'group' | 'index' | 'reward' | 'advantage' | 'used'>

function rewardOf({ group, index, reward, advantage, used }: RewardRow): StoredReward {
  return { group, index, reward: reward ?? 0, advantage: advantage ?? 0, used: used ?? false }
}
