import type { GrpoStatus } from '@ratchet/contracts/grpo'
import { lookSamples } from '@ratchet/contracts/grpo-protocol'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { notFound } from '@ratchet/service-kit/http/service-error'
import { withinQuota } from '@ratchet/work-kit/storage/within-quota'
import { wakeJob } from '../../attempts/wake-job.ts'
import { keepTools } from '../../environment-tools/pg-tool-calls.ts'
import type { KeptTools } from '../../environment-tools/tool-call-store.ts'
import { countUnfinished } from '../../jobs/pg-jobs.ts'
import { jobSettingsOf } from './job-settings.ts'
import { type RunRow, runOf } from './pg-run-row.ts'
import type { NewRun, RunCounts, RunStore } from './run.ts'

/** Runs as the API changes them, in Postgres. */
export function createPgRuns(pool: Pool): RunStore {
  const one = async (client: Pick<Pool, 'query'>, text: string, values: readonly unknown[]) => {
    const { rows } = await client.query<RunRow>(text, [...values])
    return rows[0] === undefined ? null : runOf(rows[0])
  }
  const get = (client: Pick<Pool, 'query'>, { workspaceId, id }: { workspaceId: string; id: string }) =>
    one(client, `${selectRuns} WHERE r.workspace_id = $1 AND r.id = $2`, [workspaceId, id])
  /** Changes rows, then reads the run; null when the first statement changed nothing. */
  const change = (key: { workspaceId: string; id: string }, texts: readonly [string, readonly unknown[]][]) =>
    inTransaction(pool, async (client) => {
      for (const [index, [text, values]] of texts.entries()) {
        const { rowCount } = await client.query(text, [key.workspaceId, key.id, ...values])
        if (index === 0 && rowCount !== 1) return null
      }
      return get(client, key)
    })
  return {
    create: (run) =>
      withinQuota(() =>
        inTransaction(pool, async (client) => {
          await insert(client, run)
          const created = await get(client, run)
          if (created === null) throw new Error('The statement returned no row.')
          return created
        }),
      ),
    get: (key) => get(pool, key),
    async list({ workspaceId, status = null, limit, offset }) {
      const { rows } = await pool.query<RunRow>(
        `${selectRuns} WHERE r.workspace_id = $1 AND ($2::text IS NULL OR ${statusOf} = $2)
         ORDER BY r.created_at DESC, r.id DESC LIMIT $3 OFFSET $4`,
        [workspaceId, status, limit, offset],
      )
      return rows.map(runOf)
    },
    async count(workspaceId, status) {
      const { rows } = await pool.query<{ status: GrpoStatus; runs: number }>(countStatement, [workspaceId])
      return countsOf(new Map(rows.map((row) => [row.status, row.runs])), status)
    },
    countUnfinished: (workspaceId) => countUnfinished(pool, workspaceId),
    cancel: (key, at) => change(key, [[cancelStatement, [at]]]),
    pause: (key, { reason, message }) =>
      change(key, [
        [pauseStatement, []],
        [reasonStatement, [reason, message]],
      ]),
    resume: (key, { number, amountNano }) =>
      change(key, [
        [resumeStatement, [number, String(amountNano)]],
        [acceptStatement, []],
        [retryStatement, []],
      ]),
    async usersOf(workspaceId, criterionId) {
      const { rows } = await pool.query<{ name: string }>(usersStatement, [workspaceId, criterionId])
      return rows.map(({ name }) => name)
    },
  }
}

/** Runs with their jobs and the versions that they came to. */
const joined = `FROM grpo_run r JOIN training_job j ON j.id = r.id AND j.workspace_id = r.workspace_id
    LEFT JOIN model_version v ON v.id = r.model_version_id AND v.workspace_id = r.workspace_id`

/** The status that users see, of a run `r`, its job `j` and its version `v`. */
const statusOf = `CASE
  WHEN r.stage = 'awaiting_adoption' AND v.rejected_at IS NOT NULL THEN 'rejected'
  WHEN r.stage = 'awaiting_adoption' AND EXISTS (
    SELECT 1 FROM model_adoption a WHERE a.workspace_id = r.workspace_id AND a.model = v.name) THEN 'adopted'
  WHEN r.stage <> 'training' THEN r.stage
  WHEN j.status = 'cancelled' AND r.error_code IS NOT NULL THEN 'failed'
  WHEN j.status = 'succeeded' THEN 'evaluating'
  WHEN j.status = 'running' AND r.reward_baseline IS NULL THEN 'preparing'
  ELSE j.status::text END`

const selectRuns = `
  SELECT r.*, v.name AS model, ${statusOf} AS status, j.status::text AS job_status, j.phase, j.waiting_for, j.asked, j.base_model, j.warm_start_id,
    j.after_eval_id, j.trainer, j.seed, j.request, j.dataset_id, j.eval_dataset_id, j.step, j.lost_attempts, j.estimated_cost_nano,
    j.max_cost_nano AS training_cap_nano, j.held_nano, j.cost_nano, j.hold_number, j.error_code AS job_error_code,
    j.error_message AS job_error_message, j.created_by, j.started_at, j.finished_at,
    (SELECT count(*) FROM grpo_step s WHERE s.run_id = r.id AND s.workspace_id = r.workspace_id AND s.kind = 'look'
      AND s.state = 'rewarded' AND s.figures IS NOT NULL)::int AS looks,
    (SELECT max(s.step) FROM grpo_step s WHERE s.run_id = r.id AND s.workspace_id = r.workspace_id AND s.kind = 'look'
      AND s.state = 'rewarded' AND s.figures IS NOT NULL) AS last_look
  ${joined}`

const countStatement = `
  SELECT ${statusOf} AS status, count(*)::int AS runs
  ${joined} WHERE r.workspace_id = $1 GROUP BY 1`

const announce = `pg_notify('ratchet_work', '')`

/** A running job ends when its trainer has saved; the others at once, and a worker gives their hold back. */
const cancelStatement = `
  UPDATE training_job j SET
    status = CASE WHEN j.status = 'running' THEN j.status ELSE 'cancelled' END,
    asked = CASE WHEN j.status = 'running' THEN 'cancel' END,
    finished_at = CASE WHEN j.status = 'running' THEN NULL ELSE $3::timestamptz END,
    paused_at = NULL, waiting_for = NULL, ${wakeJob}
  FROM (SELECT ${announce}) AS announced
  WHERE j.workspace_id = $1 AND j.id = $2 AND j.method = 'grpo' AND j.status IN ('queued', 'running', 'paused')`

const pauseStatement = `
  UPDATE training_job j SET asked = 'pause', ${wakeJob} FROM (SELECT ${announce}) AS announced
  WHERE j.workspace_id = $1 AND j.id = $2 AND j.method = 'grpo' AND j.status = 'running' AND j.asked IS DISTINCT FROM 'cancel'`

const reasonStatement = `
  UPDATE grpo_run r SET paused_reason = $3, status_message = $4 WHERE r.workspace_id = $1 AND r.id = $2`

const resumeStatement = `
  UPDATE training_job j SET status = 'queued', asked = NULL, paused_at = NULL, hold_number = $3, held_nano = $4, ${wakeJob}
  FROM (SELECT ${announce}) AS announced
  WHERE j.workspace_id = $1 AND j.id = $2 AND j.method = 'grpo' AND j.status = 'paused' AND j.held_nano = 0
    AND j.hold_number = $3 - 1`

/** What the guard found until now is accepted: only a larger gap pauses the run again. Failures of tools are forgotten. */
const acceptStatement = `
  UPDATE grpo_run r SET paused_reason = NULL, status_message = NULL, resumed_at = now(), accepted_gap = greatest(r.accepted_gap, coalesce((
    SELECT max((s.figures::jsonb -> 'gap' ->> 'lower')::float8) FROM grpo_step s
    WHERE s.run_id = r.id AND s.workspace_id = r.workspace_id AND s.kind = 'look' AND s.figures IS NOT NULL), 0))
  WHERE r.workspace_id = $1 AND r.id = $2`

/** Failures to judge its steps are forgotten too. */
const retryStatement = `
  UPDATE grpo_step s SET attempts = 0, leased_until = NULL
  WHERE s.workspace_id = $1 AND s.run_id = $2 AND s.state = 'judging'`

const usersStatement = `
  SELECT r.name FROM grpo_run r JOIN training_job j ON j.id = r.id AND j.workspace_id = r.workspace_id
  WHERE r.workspace_id = $1 AND r.stage = 'training' AND j.status NOT IN ('failed', 'cancelled')
    AND EXISTS (SELECT 1 FROM jsonb_array_elements(r.judges::jsonb) AS judge WHERE judge ->> 'criterionId' = $2::text)
  ORDER BY r.name LIMIT 20`

async function insert(client: PoolClient, run: NewRun): Promise<void> {
  const { settings, parts } = run
  const trainingCapNano = run.maxCostNano - run.judgingCapNano
  await client.query(jobStatement, [
    ...[run.id, run.workspaceId, run.baseModel, run.trainer, run.seed, JSON.stringify(run.request)],
    ...[
      JSON.stringify(jobSettingsOf(settings)),
      run.datasetId,
      run.evalDatasetId,
      run.datasetSha256,
      run.promptsSha256,
    ],
    ...[String(run.trainNanoPerMtok), String(run.estimatedCostNano), String(trainingCapNano)],
    ...[settings.hyperparameters.max_steps, run.createdBy, run.createdAt, run.warmStartId],
    run.afterTraining === null ? null : JSON.stringify(run.afterTraining),
  ])
  await client.query(runStatement, [
    ...[run.id, run.workspaceId, run.name, JSON.stringify(settings), JSON.stringify(run.judges)],
    ...[JSON.stringify(run.warnings), run.promptsSha256, String(run.trainNanoPerMtok), String(run.sampleNanoPerMtok)],
    ...[String(run.maxCostNano), String(run.judgingCapNano), run.createdAt, String(run.checkCostNano)],
  ])
  for (const [part, prompts] of Object.entries(parts)) {
    const rows = prompts.map(({ messages, tools, reference }: NewRun['parts']['train'][number]) => ({
      messages: JSON.stringify(messages),
      tools: tools === null ? null : JSON.stringify(tools),
      reference,
    }))
    await client.query(promptsStatement, [run.id, run.workspaceId, part, JSON.stringify(rows)])
  }
  const { environment, reward } = settings
  await keep(client, run, { use: 'tool', ids: environment?.toolIds ?? [], onMiss: environment?.onMiss ?? null })
  await keep(client, run, { use: 'reward', ids: (reward.tools ?? []).map(({ toolId }) => toolId), onMiss: null })
  const groups = JSON.stringify(parts.guard.map((_, place) => place))
  await client.query(lookStatement, [
    run.lookId,
    run.id,
    run.workspaceId,
    groups,
    parts.guard.length,
    lookSamples,
    run.createdAt,
  ])
  await client.query(`SELECT ${announce}`)
}

interface RunTools extends Pick<KeptTools, 'use' | 'onMiss'> {
  /** Public ids. */
  readonly ids: readonly string[]
}

/** @throws ServiceError when one was deleted meanwhile */
async function keep(client: PoolClient, { id: runId, workspaceId }: NewRun, { ids, ...use }: RunTools): Promise<void> {
  const toolIds = ids.flatMap((id) => uuidOf('environmentTool', id) ?? [])
  const kept = await keepTools(client, { workspaceId, runId }, { ...use, toolIds })
  if (kept === ids.length) return
  throw notFound('environment tool', use.use === 'tool' ? 'environment.toolIds' : 'reward.tools')
}

const jobStatement = `
  INSERT INTO training_job AS j (id, workspace_id, status, base_model, method, trainer, seed, request, settings, dataset_id,
    eval_dataset_id, dataset_sha256, train_sha256, price_nano_per_mtok, total_tokens, estimated_cost_nano, max_cost_nano,
    held_nano, hold_number, total_steps, created_by, created_at, warm_start_id, after_training)
  VALUES ($1, $2, 'queued', $3, 'grpo', $4, $5, $6, $7, $8, $9, $10, $11, $12, 0, $13, $14, $14, 1, $15, $16, $17, $18, $19)`

const runStatement = `
  INSERT INTO grpo_run (id, workspace_id, name, settings, judges, warnings, prompts_sha256, train_nano_per_mtok,
    sample_nano_per_mtok, max_cost_nano, judging_cap_nano, created_at, check_cost_nano, judge_cost_nano)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)`

const promptsStatement = `
  INSERT INTO grpo_prompt (run_id, part, place, workspace_id, messages, tools, reference)
  SELECT $1, $3, p.place - 1, $2, p.prompt ->> 'messages', p.prompt ->> 'tools', p.prompt ->> 'reference'
  FROM jsonb_array_elements($4::jsonb) WITH ORDINALITY AS p(prompt, place)`

const lookStatement = `
  INSERT INTO grpo_step (id, run_id, kind, step, workspace_id, groups, first_groups, samples, created_at)
  VALUES ($1, $2, 'look', 0, $3, $4, $5, $6, $7)`

const active: ReadonlySet<GrpoStatus> = new Set(['preparing', 'running', 'evaluating'])

function countsOf(runs: ReadonlyMap<GrpoStatus, number>, status: GrpoStatus | undefined): RunCounts {
  const sum = (of: (status: GrpoStatus) => boolean) =>
    [...runs].reduce((total, [each, count]) => total + (of(each) ? count : 0), 0)
  return {
    total: sum((each) => status === undefined || each === status),
    candidatesWaiting: sum((each) => each === 'awaiting_adoption'),
    active: sum((each) => active.has(each)),
    queued: sum((each) => each === 'queued'),
  }
}
