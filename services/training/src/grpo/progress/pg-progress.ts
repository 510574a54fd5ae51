import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { AuditedAnswer } from '../../audits/audited-answer.ts'
import { addGrade, type GradeTable, gradedAnswers, gradeStatement, ownGrade } from '../../audits/pg-grades.ts'
import type { StepFigures } from '../judging/judged-step.ts'
import { promptOf } from '../steps/pg-steps.ts'
import type { RunProgress, ShownLook, ShownRollout, ShownStep } from './progress-store.ts'

/** What the API shows of runs, from Postgres. */
export function createPgRunProgress(pool: Pool): RunProgress {
  return {
    async steps({ workspaceId, runId }, { fromStep, limit }) {
      const { rows } = await pool.query<StepRow>(stepsStatement, [workspaceId, runId, fromStep, limit])
      return rows.map(stepOf)
    },
    async rollouts({ workspaceId, runId }, { kind, step, sort, limit, offset }) {
      const values = [workspaceId, runId, kind, step]
      const { rows } = await pool.query<RolloutRow>(rolloutsStatement(orders[sort]), [...values, limit, offset])
      const counted = await pool.query<{ total: number }>(countStatement, values)
      return { rollouts: rows.map(rolloutOf), total: counted.rows[0]?.total ?? 0 }
    },
    async looks({ workspaceId, runId }) {
      const { rows } = await pool.query<LookRow>(looksStatement, [workspaceId, runId])
      return rows.map(lookOf)
    },
    async audit({ workspaceId, runId }, { step, limit, grader }) {
      const { rows } = await pool.query<AuditRow>(auditStatement, [workspaceId, runId, step, limit, grader])
      return rows.map(auditedOf)
    },
    async grade(workspaceId, grade) {
      const added = await addGrade<GradeRow>(pool, grades, { statement: addStatement, workspaceId, grade })
      if (added === null) return null
      const { base_model: model, completion, created_at: createdAt, ...prompt } = added.row
      return {
        model,
        prompt: promptOf(prompt),
        completion: JSON.parse(completion) as AuditedAnswer['completion'],
        createdAt,
        superseded: added.superseded,
      }
    },
  }
}

const stepsStatement = `
  WITH found AS (
    SELECT s.step, coalesce(s.trained_at, s.rewarded_at) AS at, s.figures, s.stats, s.sampled_tokens, s.trained_tokens,
      s.judge_cost_nano, s.replayed, (s.figures::jsonb ->> 'reward_mean')::float8 AS reward_mean,
      CASE WHEN s.state = 'trained' AND s.step <= coalesce((SELECT max(c.step) FROM checkpoint c
        WHERE c.job_id = s.run_id AND c.workspace_id = s.workspace_id AND c.durable_at IS NOT NULL), 0)
        THEN 'durable' ELSE s.state END AS state,
      width_bucket(row_number() OVER (ORDER BY s.step), 1, 1 + count(*) OVER (), greatest(1, $4::int / 2)) AS stretch,
      count(*) OVER () AS total
    FROM grpo_step s
    WHERE s.workspace_id = $1 AND s.run_id = $2 AND s.kind = 'step' AND s.step >= $3 AND s.figures IS NOT NULL
  ), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY stretch ORDER BY reward_mean, step) AS lowest,
      row_number() OVER (PARTITION BY stretch ORDER BY reward_mean DESC, step) AS highest
    FROM found
  )
  SELECT step, at, figures, stats, sampled_tokens, trained_tokens, judge_cost_nano, replayed, state FROM ranked
  WHERE total <= $4::int OR lowest = 1 OR highest = 1 ORDER BY step`

const orders = {
  step: 's.step, o."group", o.index',
  reward: 'o.reward NULLS LAST, s.step, o."group", o.index',
  '-reward': 'o.reward DESC NULLS LAST, s.step, o."group", o.index',
  disagreement: 'o.reward - o.holdout DESC NULLS LAST, s.step, o."group", o.index',
} as const

const rolloutsFrom = `
  FROM grpo_step s JOIN grpo_rollout o ON o.step_id = s.id AND o.workspace_id = s.workspace_id
  WHERE s.workspace_id = $1 AND s.run_id = $2 AND s.kind = $3 AND ($4::int IS NULL OR s.step = $4)`

/** Bytes of the texts of a page. Each answer has its prompt, which may have megabytes, so a page may end early. */
const maxPageBytes = 8_000_000

const rolloutsStatement = (order: string) => `
  WITH page AS (
    SELECT o.*, s.kind, s.step, s.replayed, (s.groups::jsonb ->> o."group")::int AS prompt_index, row_number() OVER (ORDER BY ${order}) AS at
    ${rolloutsFrom} ORDER BY at LIMIT $5 OFFSET $6
  ), sized AS (
    SELECT o.*, p.messages, p.tools, p.reference,
      sum(octet_length(o.completion) + octet_length(p.messages) + coalesce(octet_length(p.tools), 0)) OVER (ORDER BY o.at) AS bytes
    FROM page o JOIN grpo_prompt p ON p.run_id = o.run_id AND p.workspace_id = o.workspace_id AND p.place = o.prompt_index
      AND p.part = CASE o.kind WHEN 'look' THEN 'guard' ELSE 'train' END
  )
  SELECT o.id, o.kind, o.step, o."group", o.prompt_index, o.completion, o.reward, o.terms, o.advantage, o.sampled_tokens,
    o.truncated, o.adapter_version, o.replayed, o.messages, o.tools, o.reference,
    coalesce((SELECT jsonb_agg(jsonb_build_object('role', v.role, 'criterionId', v.criterion_id, 'judgeModel', v.judge_model,
        'verdict', v.verdict, 'explanation', v.explanation) ORDER BY v.role DESC, v.criterion_id)
      FROM grpo_verdict v WHERE v.rollout_id = o.id AND v.workspace_id = o.workspace_id), '[]')::text AS verdicts
  FROM sized o WHERE o.bytes <= ${maxPageBytes} OR o.at = $6::int + 1
  ORDER BY o.at`

const countStatement = `SELECT count(*)::int AS total ${rolloutsFrom}`

const grades: GradeTable = { table: 'grpo_grade', answer: 'rollout_id', owner: 'run_id' }

const looksStatement = `
  WITH graded AS (${gradedAnswers(grades, '= $2')})
  SELECT s.step, s.rewarded_at AS at, (s.figures::jsonb - 'prompts')::text AS figures, count(g.rollout_id)::int AS graded,
    (count(*) FILTER (WHERE g.failed))::int AS false_pass
  FROM grpo_step s LEFT JOIN (
    SELECT o.step_id, g.* FROM graded g JOIN grpo_rollout o ON o.id = g.rollout_id AND o.workspace_id = $1
  ) g ON g.step_id = s.id
  WHERE s.workspace_id = $1 AND s.run_id = $2 AND s.kind = 'look' AND s.state = 'rewarded' AND s.figures IS NOT NULL
  GROUP BY s.id ORDER BY s.step`

/** The best answer to each prompt, and of these the best. What is equal is ordered by its id, which says nothing about it. */
const auditStatement = `
  WITH best AS (
    SELECT DISTINCT ON (o."group") o.id, o."group", o.completion, o.reward, o.run_id, o.workspace_id,
      (s.groups::jsonb ->> o."group")::int AS place
    FROM grpo_step s JOIN grpo_rollout o ON o.step_id = s.id AND o.workspace_id = s.workspace_id
    WHERE s.workspace_id = $1 AND s.run_id = $2 AND s.kind = 'look' AND s.step = $3 AND o.reward IS NOT NULL
    ORDER BY o."group", o.reward DESC, o.id
  ), chosen AS (SELECT * FROM best ORDER BY reward DESC, id LIMIT $4)
  SELECT c.id, c.completion, p.messages, p.tools, p.reference, ${ownGrade(grades, 'c.id', '$5')} AS grade
  FROM chosen c JOIN grpo_prompt p ON p.run_id = c.run_id AND p.workspace_id = c.workspace_id AND p.part = 'guard'
    AND p.place = c.place
  ORDER BY c.id`

const addStatement = gradeStatement(
  grades,
  `SELECT o.id AS answer, o.run_id AS owner, o.completion, p.messages, p.tools, p.reference, j.base_model
    FROM grpo_rollout o JOIN grpo_step s ON s.id = o.step_id AND s.workspace_id = o.workspace_id AND s.kind = 'look'
      JOIN grpo_prompt p ON p.run_id = o.run_id AND p.workspace_id = o.workspace_id AND p.part = 'guard'
        AND p.place = (s.groups::jsonb ->> o."group")::int
      JOIN training_job j ON j.id = o.run_id AND j.workspace_id = o.workspace_id
    WHERE o.workspace_id = $2 AND o.id = $3`,
  ['completion', 'messages', 'tools', 'reference', 'base_model'],
)

interface StepRow {
  readonly step: number
  readonly at: Date
  readonly state: ShownStep['state']
  readonly replayed: boolean
  readonly figures: string
  readonly stats: string | null
  readonly sampled_tokens: string
  readonly trained_tokens: string | null
  readonly judge_cost_nano: string
}

function stepOf(row: StepRow): ShownStep {
  return {
    step: row.step,
    at: row.at,
    state: row.state,
    replayed: row.replayed,
    figures: JSON.parse(row.figures) as StepFigures,
    stats: row.stats === null ? null : (JSON.parse(row.stats) as Record<string, number | null>),
    sampledTokens: Number(row.sampled_tokens),
    trainedTokens: row.trained_tokens === null ? null : Number(row.trained_tokens),
    judgeCostNano: BigInt(row.judge_cost_nano),
  }
}

interface LookRow {
  readonly step: number
  readonly at: Date
  readonly figures: string
  readonly graded: number
  readonly false_pass: number
}

function lookOf({ step, at, figures, graded, false_pass: falsePass }: LookRow): ShownLook {
  return { step, at, figures: JSON.parse(figures) as ShownLook['figures'], graded, falsePass }
}

type PromptColumns = Pick<Row<'grpoPrompt'>, 'messages' | 'tools' | 'reference'>

interface RolloutRow
  extends PromptColumns,
    Pick<
      Row<'grpoRollout'>,
      | 'id'
      | 'group'
      | 'completion'
      | 'reward'
      | 'terms'
      | 'advantage'
      | 'sampled_tokens'
      | 'truncated'
      | 'adapter_version'
    > {
  readonly kind: ShownRollout['kind']
  readonly replayed: boolean
  readonly step: number
  readonly prompt_index: number
  readonly verdicts: string
}

function rolloutOf(row: RolloutRow): ShownRollout {
  return {
    id: row.id,
    kind: row.kind,
    step: row.step,
    group: row.group,
    promptIndex: row.prompt_index,
    prompt: promptOf(row),
    completion: JSON.parse(row.completion) as ShownRollout['completion'],
    reward: row.reward,
    terms: row.terms === null ? {} : (JSON.parse(row.terms) as ShownRollout['terms']),
    verdicts: JSON.parse(row.verdicts) as ShownRollout['verdicts'],
    advantage: row.advantage,
    tokens: row.sampled_tokens,
    truncated: row.truncated,
    adapterVersion: row.adapter_version,
    replayed: row.replayed,
  }
}

interface AuditRow extends PromptColumns, Pick<Row<'grpoRollout'>, 'id' | 'completion'> {
  readonly grade: 'pass' | 'fail' | null
}

function auditedOf({ id, completion, grade, ...prompt }: AuditRow): AuditedAnswer {
  return {
    id,
    prompt: promptOf(prompt),
    completion: JSON.parse(completion) as AuditedAnswer['completion'],
    grade,
  }
}

interface GradeRow extends PromptColumns {
  readonly completion: string
  readonly base_model: string
  readonly created_at: Date
}
