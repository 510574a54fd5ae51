import type { StepAlarm } from '@ratchet/contracts/grpo-progress'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { createPgRunLeases } from '@ratchet/work-kit/leases/pg-run-leases'
import { wakeJob } from '../../attempts/wake-job.ts'
import { failedOutcomes } from '../../environment-tools/pg-tool-calls.ts'
import type { GrpoPrompt } from '../runs/read-prompts.ts'
import type { FrozenJudge, RunSettings } from '../runs/run-settings.ts'
import { promptOf } from '../steps/pg-steps.ts'
import type {
  JudgedRollout,
  JudgedRun,
  JudgingStore,
  LeasedStep,
  LookFigures,
  RewardedRollout,
  RunChange,
  StepFigures,
  StepToolCalls,
} from './judged-step.ts'

/** Steps as workers judge them, in Postgres. */
export function createPgJudging(pool: Pool): JudgingStore {
  const leases = createPgRunLeases<StepColumns, LeasedStep>(
    pool,
    {
      table: 'grpo_step',
      open: `r.state = 'judging'`,
      // Nobody pays for the judges of a run that is paused or ends.
      ready: `EXISTS (SELECT 1 FROM training_job j WHERE j.id = r.run_id AND j.workspace_id = r.workspace_id
        AND j.status IN ('queued', 'running', 'succeeded') AND j.asked IS NULL)`,
    },
    leasedOf,
  )
  return {
    take: leases.take,
    renew: leases.renew,
    release: leases.release,
    async run({ runId, workspaceId }) {
      const { rows } = await pool.query<RunRow>(runStatement, [runId, workspaceId])
      if (rows[0] === undefined) throw new Error('The statement returned no row.')
      return runOf(rows[0])
    },
    async prompts({ id, workspaceId }) {
      const { rows } = await pool.query<PromptRow>(promptsStatement, [id, workspaceId])
      return rows.map(promptOf) satisfies GrpoPrompt[]
    },
    async rollouts({ id, workspaceId }) {
      const { rows } = await pool.query<RolloutRow>(rolloutsStatement, [id, workspaceId])
      return rows.map(rolloutOf)
    },
    async firstLook({ runId, workspaceId }) {
      const { rows } = await pool.query<{ figures: string | null }>(firstStatement, [runId, workspaceId])
      const figures = rows[0]?.figures ?? null
      return figures === null ? null : (JSON.parse(figures) as LookFigures).prompts
    },
    async earlier({ runId, workspaceId, step }) {
      const { rows } = await pool.query<EarlierRow>(earlierStatement, [runId, workspaceId, step])
      const [row] = rows
      const first = row?.first == null ? null : (JSON.parse(row.first) as StepFigures)
      return { first, alarms: new Set(row?.alarms ?? []) }
    },
    async toolCalls({ id, workspaceId }) {
      const { rows } = await pool.query<StepToolCalls>(toolCallsStatement, [id, workspaceId])
      return rows[0] ?? { calls: 0, failures: 0 }
    },
    async addVerdict({ workspaceId }, verdict) {
      const { rolloutId, role, criterionId, judgeModel, instrument, explanation, costNano } = verdict
      const values = [rolloutId, role, criterionId, workspaceId, judgeModel, instrument]
      await pool.query(verdictStatement, [...values, verdict.verdict, explanation, String(costNano)])
    },
    conclude: (step, outcome, change) =>
      inTransaction(pool, async (client) => {
        const held = await client.query(heldStatement, [step.id, step.workspaceId, step.generation])
        if (held.rows.length === 0) return false
        const key = [step.id, step.workspaceId]
        if (outcome.kind !== 'over_cap') await client.query(rewardStatement, [...key, rowsOf(outcome.rollouts)])
        if (outcome.kind === 'resample') await client.query(resampleStatement, [...key, JSON.stringify(outcome.groups)])
        else {
          const figures = outcome.kind === 'over_cap' ? null : JSON.stringify(outcome.figures)
          await client.query(rewardedStatement, [...key, figures])
        }
        await changeRun(client, step, change)
        return true
      }),
  }
}

const runStatement = `
  SELECT r.id, r.workspace_id, r.settings, r.judges, r.judging_cap_nano, r.accepted_gap, r.created_at, j.created_by, j.seed,
    (SELECT coalesce(max(s.step), 0) FROM grpo_step s
     WHERE s.run_id = r.id AND s.workspace_id = r.workspace_id AND s.kind = 'step' AND s.state = 'trained') AS last_trained,
    (SELECT coalesce(sum(jsonb_array_length(s.groups::jsonb)), 0) FROM grpo_step s
     WHERE s.run_id = r.id AND s.workspace_id = r.workspace_id AND s.kind = 'step')::int AS used_groups
  FROM grpo_run r JOIN training_job j ON j.id = r.id AND j.workspace_id = r.workspace_id
  WHERE r.id = $1 AND r.workspace_id = $2`

const promptsStatement = `
  SELECT p.messages, p.tools, p.reference
  FROM grpo_step s, jsonb_array_elements_text(s.groups::jsonb) WITH ORDINALITY AS g(place, at)
    JOIN grpo_prompt p ON p.place = g.place::int
  WHERE s.id = $1 AND s.workspace_id = $2 AND p.run_id = s.run_id AND p.workspace_id = s.workspace_id
    AND p.part = CASE s.kind WHEN 'look' THEN 'guard' ELSE 'train' END
  ORDER BY g.at`

const rolloutsStatement = `
  SELECT o.id, o."group", o.index, o.completion, o.sampled_tokens, o.truncated, o.entropy, o.adapter_version,
    coalesce((SELECT jsonb_agg(jsonb_build_object('role', v.role, 'criterionId', v.criterion_id, 'verdict', v.verdict))
      FROM grpo_verdict v WHERE v.rollout_id = o.id AND v.workspace_id = o.workspace_id), '[]')::text AS verdicts
  FROM grpo_rollout o WHERE o.step_id = $1 AND o.workspace_id = $2 ORDER BY o."group", o.index`

/** Calls of grading belong to an episode too, but are made of the answer, not by it. */
const toolCallsStatement = `
  SELECT count(*)::int AS calls, (count(*) FILTER (WHERE c.outcome IN ${failedOutcomes}))::int AS failures
  FROM grpo_step s JOIN grpo_rollout o ON o.step_id = s.id AND o.workspace_id = s.workspace_id
    JOIN tool_call c ON c.run_id = s.run_id AND c.workspace_id = s.workspace_id AND c.answer IS NOT NULL AND NOT c.is_grading
      AND c.rollout_id = concat_ws('-', s.kind, s.step, o."group", o.index)
  WHERE s.id = $1 AND s.workspace_id = $2`

const firstStatement = `
  SELECT s.figures FROM grpo_step s WHERE s.run_id = $1 AND s.workspace_id = $2 AND s.kind = 'look' AND s.step = 0`

const earlierStatement = `
  SELECT max(s.figures) AS first,
    (SELECT array_agg(DISTINCT a.alarm) FROM grpo_step e, jsonb_array_elements_text(e.figures::jsonb -> 'alarms') AS a(alarm)
     WHERE e.run_id = $1 AND e.workspace_id = $2 AND e.kind = 'step' AND e.step < $3 AND e.figures IS NOT NULL) AS alarms
  FROM grpo_step s WHERE s.run_id = $1 AND s.workspace_id = $2 AND s.kind = 'step' AND s.step = 1 AND s.step < $3`

interface EarlierRow {
  readonly first: string | null
  readonly alarms: readonly StepAlarm[] | null
}

const verdictStatement = `
  INSERT INTO grpo_verdict (rollout_id, role, criterion_id, workspace_id, judge_model, instrument, verdict, explanation,
    cost_nano, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now()) ON CONFLICT (rollout_id, role, criterion_id) DO NOTHING`

const heldStatement = `
  SELECT 1 FROM grpo_step s WHERE s.id = $1 AND s.workspace_id = $2 AND s.generation = $3 AND s.state = 'judging' FOR UPDATE`

const rewardStatement = `
  UPDATE grpo_rollout o SET reward = r.reward, terms = r.terms, advantage = r.advantage, used = r.used, holdout = r.holdout
  FROM jsonb_to_recordset($3::jsonb)
    AS r(id uuid, reward float8, terms text, advantage float8, used boolean, holdout float8)
  WHERE o.id = r.id AND o.step_id = $1 AND o.workspace_id = $2`

const judgeCost = `(SELECT coalesce(sum(v.cost_nano), 0) FROM grpo_rollout o JOIN grpo_verdict v ON v.rollout_id = o.id
    WHERE o.step_id = s.id AND o.workspace_id = s.workspace_id)`

const resampleStatement = `
  UPDATE grpo_step s SET state = 'sampling', groups = $3, resamples = s.resamples + 1, leased_until = NULL, attempts = 0,
    judge_cost_nano = ${judgeCost}
  WHERE s.id = $1 AND s.workspace_id = $2`

const rewardedStatement = `
  UPDATE grpo_step s SET state = 'rewarded', figures = $3, rewarded_at = now(), leased_until = NULL, attempts = 0,
    judge_cost_nano = ${judgeCost}
  WHERE s.id = $1 AND s.workspace_id = $2`

/** Jobs that end for it are looked at by a worker at once. */
async function changeRun(client: PoolClient, { runId, workspaceId }: LeasedStep, change: RunChange): Promise<void> {
  const { finish, pause, failure, warning, warnings = [] } = change
  const key = [runId, workspaceId]
  await client.query(changeStatement, [
    ...[...key, change.rewardBaseline ?? null, change.rewardCurrent ?? null, change.guardVerdict ?? null],
    ...[finish?.step ?? null, finish?.reason ?? null, pause?.reason ?? null],
    ...[failure?.message ?? pause?.message ?? warning ?? null, failure?.code ?? null],
  ])
  if (warnings.length > 0) await client.query(warnStatement, [...key, JSON.stringify(warnings)])
  if (failure === undefined && pause === undefined) return
  await client.query(askStatement, [...key, failure === undefined ? 'pause' : 'cancel'])
}

const changeStatement = `
  UPDATE grpo_run r SET reward_baseline = coalesce($3, r.reward_baseline), reward_current = coalesce($4, r.reward_current),
    guard_verdict = coalesce($5, r.guard_verdict), finish_step = coalesce(r.finish_step, $6),
    finish_reason = CASE WHEN r.finish_step IS NULL THEN $7 ELSE r.finish_reason END,
    paused_reason = coalesce($8, r.paused_reason), status_message = coalesce($9, r.status_message),
    error_code = coalesce($10, r.error_code), judge_cost_nano = r.check_cost_nano + (
      SELECT coalesce(sum(s.judge_cost_nano), 0) FROM grpo_step s WHERE s.run_id = r.id AND s.workspace_id = r.workspace_id)
  WHERE r.id = $1 AND r.workspace_id = $2`

const warnStatement = `
  UPDATE grpo_run SET warnings = (warnings::jsonb || $3::jsonb)::text WHERE id = $1 AND workspace_id = $2`

const askStatement = `
  UPDATE training_job j SET asked = CASE WHEN j.status = 'running' THEN $3 ELSE j.asked END, ${wakeJob}
  FROM (SELECT pg_notify('ratchet_work', '')) AS announced
  WHERE j.id = $1 AND j.workspace_id = $2 AND j.asked IS DISTINCT FROM 'cancel'`

type StepColumns = Row<'grpoStep'>

function leasedOf(row: StepColumns): LeasedStep {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    generation: row.generation,
    attempts: row.attempts,
    runId: row.run_id,
    kind: row.kind as LeasedStep['kind'],
    step: row.step,
    groups: JSON.parse(row.groups) as number[],
    firstGroups: row.first_groups,
    samples: row.samples,
    resamples: row.resamples,
  }
}

interface RunRow
  extends Pick<
      Row<'grpoRun'>,
      'id' | 'workspace_id' | 'settings' | 'judges' | 'judging_cap_nano' | 'accepted_gap' | 'created_at'
    >,
    Pick<Row<'trainingJob'>, 'created_by' | 'seed'> {
  readonly last_trained: number
  readonly used_groups: number
}

function runOf(row: RunRow): JudgedRun {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    createdBy: row.created_by,
    createdAt: row.created_at,
    seed: row.seed,
    settings: JSON.parse(row.settings) as RunSettings,
    judges: JSON.parse(row.judges) as FrozenJudge[],
    judgingCapNano: BigInt(row.judging_cap_nano),
    acceptedGap: row.accepted_gap,
    lastTrained: row.last_trained,
    usedGroups: row.used_groups,
  }
}

type PromptRow = Pick<Row<'grpoPrompt'>, 'messages' | 'tools' | 'reference'>

interface RolloutRow
  extends Pick<
    Row<'grpoRollout'>,
    'id' | 'group' | 'index' | 'completion' | 'sampled_tokens' | 'truncated' | 'entropy' | 'adapter_version'
  > {
  readonly verdicts: string
}

function rolloutOf(row: RolloutRow): JudgedRollout {
  return {
    id: row.id,
    group: row.group,
    index: row.index,
    completion: JSON.parse(row.completion) as JudgedRollout['completion'],
    sampledTokens: row.sampled_tokens,
    truncated: row.truncated,
    entropy: row.entropy,
    adapterVersion: row.adapter_version,
    verdicts: JSON.parse(row.verdicts) as JudgedRollout['verdicts'],
  }
}

function rowsOf(rollouts: readonly RewardedRollout[]): string {
  return JSON.stringify(rollouts.map(({ terms, ...rest }) => ({ ...rest, terms: JSON.stringify(terms) })))
}
