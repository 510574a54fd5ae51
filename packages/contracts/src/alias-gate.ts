import { z } from 'zod'
import { aliasParams, GateState } from './aliases.ts'
import { Trust } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { GatePlan } from './gate-plan.ts'
import { Interval } from './interval.ts'
import { decimalNumber, wholeNumber } from './query-values.ts'

const count = z.int().min(0)
const rate = z.number().min(0).max(1)

const JudgeRate = z.object({ rate, ci: Interval }).nullable().default(null)

/** The evidence about one arm. */
export const GateArm = z.object({
  model: z.string(),
  assigned: count.describe('Number of requests that were assigned to the arm, including answers from the cache.'),
  served: count.describe('Number of requests for which the model of the arm was called.'),
  errors: count.describe('Number of those that failed or that a fallback model answered.'),
  scored: count.describe(
    'Number of answers with a verdict of the judge. For a judge of runs: of runs, with those in `unfinished`.',
  ),
  fails: count,
  unfinished: count
    .default(0)
    .describe(
      'Runs that were not completed, or are too long to be judged. They count as failed: an arm must not gain by losing its worst runs.',
    ),
  open: count.describe('Number of selected answers that wait for the judge.'),
  unjudged: count.describe(
    'Number of selected answers that will get no verdict, for example because they are too large.',
  ),
  mixed: count.describe(
    'Number of answers that are excluded because an earlier turn of theirs may come from the other arm; runs that began before the split.',
  ),
  assisted: count
    .default(0)
    .describe(
      'Runs that are excluded because a fallback, or a call that did not name the alias, answered a step. Those of the canary count as failed when it is to be promoted, because the arm can influence their number.',
    ),
  graded: count.describe('Number of the scored answers that people have graded too.'),
  drawn: z
    .number()
    .min(0)
    .default(0)
    .describe(
      'Number of the graded answers that were drawn at random: an effective number when they had different probabilities. Only these prove something.',
    ),
  skipped: count
    .default(0)
    .describe(
      'Number of answers that `next_to_grade` listed and that have no grade, although later ones have. When the canary is to be promoted, they count as failed by the canary and as passed by the target: whoever grades must not choose what is known.',
    ),
  judge_tpr: JudgeRate.describe('TPR of the judge on the answers of this arm, by the grades of drawn answers.'),
  judge_tnr: JudgeRate.describe('TNR of the judge on the answers of this arm.'),
  raw_pass_rate: rate.nullable().describe('The pass rate by the verdicts of the judge.'),
  pass_rate: rate.nullable().describe('The pass rate, corrected for the known errors of the judge.'),
  ci: Interval.nullable().describe('Wilson interval of `raw_pass_rate`, valid for a single evaluation.'),
  cs: Interval.nullable().describe('Confidence sequence of `raw_pass_rate`, valid at every evaluation.'),
  error_rate: rate.nullable().describe('Share of errors among the requests that have ended.'),
  p95_latency_ms: z.number().nullable(),
  avg_cost_usd: z.number().nullable(),
})
export type GateArm = z.output<typeof GateArm>

/** One guard figure, such as errors, latency or cost. */
export const GuardCheck = z.object({
  name: z.enum(['error_rate_increase', 'latency_ratio', 'cost_ratio']),
  limit: z.number(),
  estimate: z.number().nullable(),
  cs: z
    .tuple([z.number(), z.number().nullable()])
    .nullable()
    .describe('The guard is breached when the whole interval lies above the limit. It may have no upper bound yet.'),
  breached: z.boolean(),
})
export type GuardCheck = z.output<typeof GuardCheck>

/** The shadow model beside the arms; its answers never reach a client. */
export const GateShadow = z.object({
  model: z.string(),
  mirrored: count,
  errors: count,
  scored: count,
  fails: count,
  raw_pass_rate: rate.nullable(),
  pass_rate: rate.nullable(),
  ci: Interval.nullable(),
  avg_latency_ms: z.number().nullable(),
  avg_cost_usd: z.number().nullable(),
})
export type GateShadow = z.output<typeof GateShadow>

const familyStates = ['collecting', 'watched', 'worse', 'rolled_back'] as const

/** Both arms on the requests of one segment. */
export const GateSegment = z.object({
  segment: z.string(),
  state: z
    .enum(familyStates)
    .default('watched')
    .describe(
      '`collecting` below 50 scored answers in an arm; `watched`; `worse` when the canary is proven worse by more than the margin; `rolled_back` when the gate took it out of the split.',
    ),
  target: z.object({ scored: count, fails: count }),
  canary: z.object({ scored: count, fails: count }),
  difference: z
    .object({ estimate: z.number(), cs: Interval })
    .nullable()
    .describe(
      'Pass rate of the canary minus that of the target. The upper bounds of all segments hold together and at every evaluation, with the confidence of the gate; likewise the lower ones.',
    ),
  e_value: z
    .number()
    .min(0)
    .describe('Evidence that the canary is worse by more than the margin; at most 1e300. 1 is none.'),
  error_share: rate
    .default(0)
    .describe(
      'Share of the error rate that the segment has. With all of it, an e-value of 1/(1 − confidence) decides.',
    ),
  worse: z.boolean().describe('Whether that is proven, when all segments are compared and at every evaluation.'),
})
export type GateSegment = z.output<typeof GateSegment>

export const AliasGate = z.object({
  object: z.literal('alias.gate'),
  alias: z.string(),
  unit: z
    .enum(['request', 'trace'])
    .default('request')
    .describe('`trace`: every count of `scored` is of complete runs.'),
  state: GateState.describe('`collecting` also when there is no split or no gate.'),
  reason: z.string(),
  mode: z.enum(['recommend', 'auto']).nullable(),
  criterion_id: z.string().nullable(),
  trust: Trust.nullable().describe('Trust of the judge at the last evaluation.'),
  youden: z.number().nullable().describe('TPR + TNR − 1 of the judge.'),
  arms: z.object({ target: GateArm, canary: GateArm.nullable() }),
  shadow: GateShadow.nullable(),
  difference: z
    .object({ estimate: z.number(), ci: Interval, cs: Interval })
    .nullable()
    .describe(
      'Pass rate of the canary minus that of the target by verdicts alone, corrected if the judge is calibrated. A gate may roll back on it, and does not promote on it.',
    ),
  graded_difference: z
    .object({ estimate: z.number(), cs: Interval })
    .nullable()
    .default(null)
    .describe(
      "The same by verdicts and grades of each arm's own drawn answers. A gate promotes on it. Null while an arm lacks grades.",
    ),
  margin: z.number().describe('The gate acts when a sequence lies entirely on one side of minus this value.'),
  segments: z
    .array(GateSegment)
    .default([])
    .describe('Segments with the most scored answers, strongest evidence first.'),
  plan: GatePlan.nullable()
    .default(null)
    .describe('What the gate needs and what is missing; null without a live gate.'),
  srm_p: z
    .number()
    .nullable()
    .describe('p-value of the sample ratio of the arms. Below 0.0001 the gate decides nothing.'),
  guard: z.array(GuardCheck),
  looks: count,
  started_at: z.iso.datetime().nullable().describe('Start of the current split.'),
  ends_at: z.iso.datetime().nullable(),
  looked_at: z.iso.datetime().nullable(),
  decided_at: z.iso.datetime().nullable(),
})
export type AliasGate = z.output<typeof AliasGate>

export const getGatePlan = endpoint({
  method: 'get',
  path: '/v1/aliases/:name/gate/plan',
  summary: 'Plan the gate of an alias.',
  description:
    'What a gate would need, and how long it would take by the traffic of the alias, before it starts. Settings that are left out are those of the alias.',
  service: 'alias',
  permission: 'any',
  params: aliasParams,
  query: z.strictObject({
    canary_percent: wholeNumber({ min: 1, max: 99 }).optional(),
    gate_rollback_threshold: decimalNumber({ min: 0, max: 1 }).optional(),
    gate_confidence: decimalNumber({ min: 0.5, max: 0.9999 }).optional(),
    gate_min_samples_per_arm: wholeNumber({ min: 50, max: 1_000_000 }).optional(),
    gate_window_hours: decimalNumber({ min: 0.01, max: 2_160 }).optional(),
    gate_criterion_id: z.string().min(1).max(200).optional(),
    fail_rate: decimalNumber({ min: 0.001, max: 0.999 })
      .optional()
      .describe('Share of answers that people would fail. By the verdicts so far, else 0.1, when absent.'),
  }),
  reply: z.object({ object: z.literal('alias.gate_plan'), alias: z.string(), plan: GatePlan }),
  errors: ['not_found', 'unknown_parameter'],
})

export const nextToGradeOfGate = endpoint({
  method: 'get',
  path: '/v1/aliases/:name/gate/next_to_grade',
  summary: 'List answers to grade for a gate.',
  description:
    'Scored answers of both arms, drawn at random where a grade shrinks the interval of the gate most. Read each with `GET /v1/logs/:id` and grade it with `POST /v1/labels`. With a judge of runs these are complete runs, which are graded in the dashboard. What is listed here is recorded as drawn: only such grades, and those that `next_to_grade` of the judge listed, prove something about an arm. Grade from the top and skip none: what is skipped counts against the canary. Neither arm nor verdict is shown, nor the probability of the draw, which would tell them: a blind grade is worth more. Send grades without `sampling`.',
  service: 'alias',
  permission: 'any',
  params: aliasParams,
  query: z.strictObject({ limit: wholeNumber({ min: 1, max: 200 }).default(20) }),
  reply: z.object({
    object: z.literal('list'),
    criterion_id: z.string().nullable(),
    data: z.array(
      z.object({
        log_id: z.string().nullable().describe('Null for a run.'),
        trace_id: z.string().nullable().default(null).describe('Null for an answer.'),
      }),
    ),
  }),
  errors: ['not_found', 'unknown_parameter'],
})

export const getAliasGate = endpoint({
  method: 'get',
  path: '/v1/aliases/:name/gate',
  summary: 'Read the gate of an alias.',
  description: 'Returns both arms, the difference between them, and the decision of the gate.',
  service: 'alias',
  permission: 'any',
  params: aliasParams,
  reply: AliasGate,
  errors: ['not_found', 'unknown_parameter'],
})
