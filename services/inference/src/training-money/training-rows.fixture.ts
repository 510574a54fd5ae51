import { randomUUID } from 'node:crypto'
import type { Pool } from '@ratchet/db/connect-pool'

/* Rows as the training service writes them, with what an audit of its money reads. */

interface OfWorkspace {
  readonly workspaceId: string
}

export interface JobRow extends OfWorkspace {
  readonly id: string
  readonly method?: 'supervised' | 'grpo'
  readonly isOver?: boolean
  readonly costNano: bigint
  /** Absent: the job has no maximum. */
  readonly maxNano?: bigint
  /** Per million tokens; of a run, its steps have prices. */
  readonly priceNano?: bigint
  /** The round that made it. */
  readonly roundId?: string
}

export async function addJob(operator: Pool, job: JobRow): Promise<void> {
  const { id, workspaceId, method = 'supervised', isOver = true, costNano, maxNano, priceNano = 0n, roundId } = job
  await operator.query(
    `INSERT INTO training_job (id, workspace_id, status, base_model, method, trainer, seed, request, dataset_id,
       price_nano_per_mtok, total_tokens, estimated_cost_nano, max_cost_nano, cost_nano, producer_kind, producer_id,
       created_by, created_at, finished_at)
     VALUES ($1, $2, CASE WHEN $3 THEN 'succeeded' ELSE 'running' END::training_job_status, 'sim/small', $4, 'sim', 1, '{}',
       $1, $5, 1, 1, $6, $7, CASE WHEN $8::uuid IS NOT NULL THEN 'raft' END, $8, $2, now(), CASE WHEN $3 THEN now() END)`,
    [id, workspaceId, isOver, method, String(priceNano), maxNano ?? null, String(costNano), roundId ?? null],
  )
}

export interface CheckpointRow extends OfWorkspace {
  readonly jobId: string
  readonly step: number
  readonly tokens: number
}

export async function addCheckpoint(
  operator: Pool,
  { jobId, workspaceId, step, tokens }: CheckpointRow,
): Promise<void> {
  await operator.query(
    `INSERT INTO checkpoint (id, job_id, workspace_id, step, attempt, manifest, sha256, bytes, trained_tokens, begun_at,
       durable_at) VALUES ($1, $2, $3, $4, 1, '[]', '', 1, $5, now(), now())`,
    [randomUUID(), jobId, workspaceId, step, tokens],
  )
}

export interface RunRow extends OfWorkspace {
  readonly id: string
  readonly maxNano: bigint
  readonly judgingNano: bigint
}

/** A run that costs a dollar per million trained tokens, and half a dollar per million sampled ones. */
export async function addRun(operator: Pool, { id, workspaceId, maxNano, judgingNano }: RunRow): Promise<void> {
  await operator.query(
    `INSERT INTO grpo_run (id, workspace_id, name, settings, judges, warnings, prompts_sha256, train_nano_per_mtok,
       sample_nano_per_mtok, max_cost_nano, judging_cap_nano, created_at)
     VALUES ($1, $2, 'Polite', '{}', '[]', '[]', '', 1000000000, 500000000, $3, $4, now())`,
    [id, workspaceId, String(maxNano), String(judgingNano)],
  )
}

export interface StepRow extends OfWorkspace {
  readonly runId: string
  readonly kind?: 'step' | 'look'
  readonly step: number
  readonly sampled: number
  readonly trained?: number
}

/** A step that was trained, or a look that was judged. Returns its key. */
export async function addStep(
  operator: Pool,
  row: StepRow,
): Promise<Required<Pick<StepRow, 'runId' | 'workspaceId'>> & { readonly id: string }> {
  const { runId, workspaceId, kind = 'step', step, sampled, trained } = row
  const id = randomUUID()
  await operator.query(
    `INSERT INTO grpo_step (id, run_id, kind, step, workspace_id, state, groups, first_groups, samples, sampled_tokens,
       trained_tokens, created_at)
     VALUES ($1, $2, $3, $4, $5, CASE WHEN $3 = 'step' THEN 'trained' ELSE 'rewarded' END, '[0]', 1, 1, $6, $7, now())`,
    [id, runId, kind, step, workspaceId, sampled, trained ?? null],
  )
  return { id, runId, workspaceId }
}

export interface VerdictRow {
  readonly step: { readonly id: string; readonly runId: string; readonly workspaceId: string }
  readonly costNano: bigint
}

export async function addVerdict(operator: Pool, { step, costNano }: VerdictRow): Promise<void> {
  const rolloutId = randomUUID()
  await operator.query(
    `INSERT INTO grpo_rollout (id, step_id, run_id, workspace_id, "group", index, completion, token_ids, logprobs,
       sampled_tokens, truncated, adapter_version, created_at)
     VALUES ($1, $2, $3, $4, 0, 0, '[]', '[]', '[]', 1, false, 0, now())`,
    [rolloutId, step.id, step.runId, step.workspaceId],
  )
  await operator.query(
    `INSERT INTO grpo_verdict (rollout_id, role, criterion_id, workspace_id, judge_model, instrument, verdict, cost_nano,
       created_at) VALUES ($1, 'reward', $1, $2, 'sim/judge', 1, 'pass', $3, now())`,
    [rolloutId, step.workspaceId, String(costNano)],
  )
}

export interface RoundRow extends OfWorkspace {
  readonly id: string
  readonly maxNano: bigint
}

export async function addRound(operator: Pool, { id, workspaceId, maxNano }: RoundRow): Promise<void> {
  await operator.query(
    `INSERT INTO raft_round (id, workspace_id, status, base_model, start_model, chain_id, round_index, criterion_id,
       source_dataset_id, settings, judges, warnings, max_cost_nano, created_by, created_at, finished_at)
     VALUES ($1, $2, 'done', 'sim/small', 'sim/small', $1, 0, $1, $1, '{}', '[]', '[]', $3, $2, now(), now())`,
    [id, workspaceId, String(maxNano)],
  )
}

export interface SampleRow extends OfWorkspace {
  readonly roundId: string
  readonly costNano: bigint
}

export async function addSample(operator: Pool, { roundId, workspaceId, costNano }: SampleRow): Promise<void> {
  await operator.query("INSERT INTO raft_prompt VALUES ($1, 0, $2, false, '{}')", [roundId, workspaceId])
  await operator.query(
    `INSERT INTO raft_sample (round_id, part, prompt_index, sample_index, workspace_id, state, verdict, cost_nano)
     VALUES ($1, 'train', 0, 0, $2, 'judged', 'pass', $3)`,
    [roundId, workspaceId, String(costNano)],
  )
}
