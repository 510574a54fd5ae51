import { z } from 'zod'
import { mebibyte } from './byte-sizes.ts'
import { Criterion, Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { maxJudgedSteps } from './internal-logs.ts'
import { assumedSecondsPerGrade } from './scans.ts'
import { SetupStatus } from './setup-status.ts'

/** What plans of grading are made from; figures of a judge are those of the one that is nearest to act. */
export const GradingWork = z.object({
  seconds_per_grade: z.number().positive(),
  usd_per_verdict: z.number().min(0).nullable().describe('Null without a judge, and when its model has no price.'),
  drawn_grades: z.int().min(0).describe('Graded items that a calibration of the judge would judge.'),
  fail_share: z.number().min(0).max(1).nullable().describe('Share of failing ones among them; null without any.'),
})
export type GradingWork = z.output<typeof GradingWork>

/** Of a workspace of which nothing is known, and of a process of an earlier release. */
export const unknownWork: GradingWork = {
  seconds_per_grade: assumedSecondsPerGrade,
  usd_per_verdict: null,
  drawn_grades: 0,
  fail_share: null,
}

/** For the setup status; the edge does not forward to it. */
export const judgingProgress = endpoint({
  method: 'get',
  path: '/internal/judging/progress',
  summary: 'Count the grades and judges of a workspace.',
  description: 'For the setup status.',
  service: 'judging',
  audience: 'internal',
  callers: ['logging'],
  reply: z.object({
    grades: SetupStatus.shape.grades,
    judges: SetupStatus.shape.judges,
    work: GradingWork.default(unknownWork),
  }),
})

/** What one verdict of a judge costs, US dollars: by its recent verdicts, or by the price of its model and a usual length. */
export const VerdictCost = z.object({ usd: z.number().min(0), from: z.enum(['verdicts', 'list_price']) })
export type VerdictCost = z.output<typeof VerdictCost>

/** A judge as gates, and rewards of training, ask for it. */
export const gateJudge = endpoint({
  method: 'get',
  path: '/internal/judging/gate-judges/:id',
  summary: 'Read a judge for a gate.',
  description: 'Returns the judge as its owner reads it, with its instrument.',
  service: 'judging',
  audience: 'internal',
  callers: ['alias', 'training', 'voice'],
  params: z.strictObject({ id: z.string() }),
  reply: z.object({
    criterion: Criterion,
    instrument: z.int().min(1).describe('Increases with every change of model, prompt or population.'),
    over_cap: z.boolean().describe('True when its spend cap of this week is reached.'),
    verdict_cost: VerdictCost.nullable()
      .default(null)
      .describe('Null when the judge has no verdicts and its model no price.'),
  }),
  errors: ['not_found'],
})

/** Evals keep their judge for as long as they may be evidence. */
export const noteEvalJudge = endpoint({
  method: 'post',
  path: '/internal/judging/eval-judges',
  summary: 'Note that an eval was created with a judge.',
  description: 'Its panel is judged again each day for the thirty days in which the eval may be evidence.',
  service: 'judging',
  audience: 'internal',
  callers: ['eval'],
  body: z.strictObject({ criterion_id: z.string() }),
  reply: z.object({ noted: z.literal(true) }),
  errors: ['not_found'],
})

/** An exchange that a gate needs judged. */
export const GateItem = z.object({
  log_id: z.string(),
  segment: z.string(),
  tag: z.string().nullable(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  response: z
    .record(z.string(), z.unknown())
    .nullable()
    .default(null)
    .describe('A message that is judged instead of the logged answer; null for the logged answer.'),
})
export type GateItem = z.infer<typeof GateItem>

/** A completed run that a gate needs judged, for a judge of runs. */
export const GateRun = z.object({
  trace_id: z.string(),
  step_ids: z.array(z.string()).min(1).max(maxJudgedSteps).describe('Its steps, as the gate has read them.'),
  segment: z.string().describe('Of its first step.'),
  tag: z.string().nullable(),
  canary: z.boolean(),
  last_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
})
export type GateRun = z.infer<typeof GateRun>

/** `gate`: the answer that was served; `shadow`: the answer of a shadow model. */
export const GateSource = z.enum(['gate', 'shadow'])
export type GateSource = z.infer<typeof GateSource>

export const planGateJudgements = endpoint({
  method: 'post',
  path: '/internal/judging/gate-judgements',
  summary: 'Plan verdicts for a gate.',
  description: 'Each exchange or run is judged once per instrument of the judge, under the spend cap of the week.',
  service: 'judging',
  audience: 'internal',
  callers: ['alias', 'voice'],
  maxBodyBytes: 16 * mebibyte,
  body: z.strictObject({
    criterion_id: z.string(),
    instrument: z.int().min(1),
    source: GateSource,
    shadow_of: z
      .string()
      .nullable()
      .default(null)
      .describe('Distinguishes several shadow answers to one exchange, for example by their model.'),
    items: z.array(GateItem).max(200).default([]),
    runs: z.array(GateRun).max(200).default([]).describe('For a judge of runs, in place of `items`.'),
  }),
  reply: z.object({ planned: z.int().describe('Number of exchanges or runs that were not planned before.') }),
  errors: ['not_found', 'conflict', 'unsupported_unit'],
})

export const readGateVerdicts = endpoint({
  method: 'post',
  path: '/internal/judging/gate-verdicts',
  summary: 'Read verdicts on exchanges or runs.',
  description: 'One that waits for its verdict is `pending`; an unknown one is left out.',
  service: 'judging',
  audience: 'internal',
  callers: ['alias', 'voice'],
  body: z.strictObject({
    criterion_id: z.string(),
    instrument: z.int().min(1),
    source: GateSource,
    shadow_of: z.string().nullable().default(null),
    log_ids: z.array(z.string()).max(1_000).default([]),
    trace_ids: z.array(z.string()).max(1_000).default([]).describe('For a judge of runs, in place of `log_ids`.'),
  }),
  reply: z.object({
    data: z.array(
      z.object({
        log_id: z.string().nullable().describe('Null for a run.'),
        trace_id: z.string().nullable().default(null).describe('Null for an exchange.'),
        state: z.enum(['pending', 'done', 'failed']).describe('`failed`: there is no verdict and there will be none.'),
        verdict: Verdict.nullable(),
        failure: z.string().nullable(),
        by_monitor: z
          .boolean()
          .default(false)
          .describe('True for a verdict of the monitor, which the gate did not order.'),
        grade: Verdict.nullable().describe('The grade of the majority of graders, if there is one.'),
        skip_probability: z
          .number()
          .gt(0)
          .max(1)
          .nullable()
          .default(null)
          .describe(
            'Probability with which a draw of the judge offered it, when people graded others that were offered after it and not it.',
          ),
        grade_probability: z
          .number()
          .gt(0)
          .max(1)
          .nullable()
          .default(null)
          .describe('Probability with which the exchange was drawn for grading; null when a person picked it.'),
      }),
    ),
  }),
  errors: ['not_found', 'unsupported_unit'],
})

/** Maximum number of exchanges whose verdicts are read at once. */
export const maxLogVerdicts = 1_000

export const readLogVerdicts = endpoint({
  method: 'post',
  path: '/internal/judging/log-verdicts',
  summary: 'Read what a judge said about logged exchanges.',
  description:
    'The latest verdict of the present instrument on each answer as it was served, by the monitor, a scan, a gate or a calibration. Exchanges without a verdict are left out.',
  service: 'judging',
  audience: 'internal',
  callers: ['logging'],
  body: z.strictObject({
    criterion_id: z.string(),
    log_ids: z.array(z.string()).max(maxLogVerdicts).describe('May be empty, to find out whether the judge exists.'),
  }),
  reply: z.object({ data: z.array(z.object({ log_id: z.string(), verdict: Verdict })) }),
  errors: ['not_found', 'unsupported_unit'],
})
