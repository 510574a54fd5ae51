import { z } from 'zod'
import { ChatMessage } from './chat-message.ts'
import { criterionParams, RateInterval, RightToAct, repeatability, Trust, Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { listOf } from './list-of.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'
import { storable } from './storable.ts'

const rate = z.number().min(0).max(1)

/** States of the background runs of a judge. */
export const RunStatus = z.enum(['PENDING', 'RUNNING', 'DONE', 'FAILED'])

/** Whether nothing will change a run of a judge or an eval any more. */
export function isRunOver({ status }: { readonly status: string }): boolean {
  return status !== 'PENDING' && status !== 'RUNNING'
}

/** Share of the rows of a calibration that are judged a second time. */
const repeatedShare = 0.05
/** Fewest of them, or all rows if these are fewer: an interval of less says nothing. */
const minRepeated = 20

/** Number of rows of a calibration that are judged a second time, for its repeatability. */
export function repeatedRows(rows: number): number {
  return Math.min(rows, Math.max(minRepeated, Math.ceil(repeatedShare * rows)))
}

/** A comparison of a judge with grades. Items that people failed measure `tpr`, items that they passed `tnr`. */
export const Calibration = z.object({
  object: z.literal('criterion.calibration'),
  id: z.string(),
  criterion_id: z.string(),
  status: z.enum(['PENDING', 'RUNNING', 'DONE', 'FAILED', 'VOIDED']),
  progress: z.object({ done: z.int(), total: z.int() }),
  error: z.string().nullable(),
  prompt_sha256: z.string(),
  judge_model: z.string(),
  judge_model_resolved: z.string().nullable().describe('The model name that the provider reported for the verdicts.'),
  judge_fingerprint: z.string().nullable(),
  confusion: z
    .object({ tp: z.int(), fn: z.int(), fp: z.int(), tn: z.int() })
    .describe('Counts of verdicts against grades. The positive class is FAIL.'),
  n_unparseable: z
    .int()
    .describe(
      'Rows without a valid verdict after a retry. They count as errors of the judge in `tpr`, `tnr` and everything that follows from these, and are in no cell of `confusion`.',
    ),
  n_ties: z.int().describe('Items on which graders disagree. They are excluded until a person decides.'),
  tpr: rate.nullable(),
  tnr: rate.nullable(),
  tpr_ci: RateInterval.nullable(),
  tnr_ci: RateInterval.nullable(),
  kappa: z.number().nullable(),
  kappa_note: z.string().nullable(),
  trust: Trust,
  repeatability,
  ...RightToAct.shape,
  sampling: z.enum(['random', 'weighted']).describe('`weighted`: some items were drawn from strata.'),
  include_picked: z.boolean().describe('Whether grades of items that people picked were requested to count.'),
  n_picked: z.int().describe('Rows of items that people picked. With any, the judge may not act.'),
  n_picked_left_out: z.int(),
  n_unanswered: z
    .int()
    .describe(
      'Items that were offered before others that have a grade, and have none. Each counts as an error of the judge.',
    ),
  effective_n_fail: z.number(),
  effective_n_pass: z.number(),
  looks: z
    .int()
    .describe(
      'Number of calibrations of this instrument so far, including this one. Each reads the same grades again, so `trust` alone is true too often: see `can_act`. 0 unless DONE.',
    ),
  notes: z.array(z.string()).describe('Reasons for caution with the figures.'),
  cost_usd: z.number(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
  voided_at: z.iso.datetime().nullable(),
  void_reason: z.string().nullable(),
})
export type Calibration = z.infer<typeof Calibration>

export const LabelFilter = z.strictObject({
  created_after: z.iso.datetime({ offset: true }).nullish(),
  grader_id: z.string().min(1).max(200).nullish(),
  sampling: z
    .enum(['random', 'any'])
    .nullish()
    .describe('`random` excludes grades of items that were selected in another way.'),
})

export const StartCalibration = z.strictObject({
  label_filter: LabelFilter.default({}),
  include_picked: z
    .boolean()
    .default(false)
    .describe(
      'Whether grades of items that people picked count too. Their rates may not be those of the traffic, so no gate acts on such a calibration.',
    ),
  max_rows: z.int().min(1).max(10_000).nullish().describe('Maximum rows, the newest grades first.'),
  dry_run: z.boolean().default(false),
})
export type StartCalibration = z.infer<typeof StartCalibration>

/** What grades can prove about a judge, before they are given or the judge is paid. */
export const GradingPlan = z.object({
  bar: rate,
  min_grades_for_trust: z
    .int()
    .describe('Fewest grades of one class that prove the bar, when the judge makes no error.'),
  min_grades_to_act: z
    .int()
    .describe(
      'The same at any number of calibrations, which `can_act` requires; more when judges with the same prompt and model were calibrated before.',
    ),
  chances: z
    .array(
      z.object({
        true_rate: rate.describe('Assumed true rate of the judge.'),
        tpr_can_act: rate.describe(
          'Probability that one calibration against the present grades proves `tpr` as `can_act` requires, which gates, evidence and rewards read.',
        ),
        tnr_can_act: rate,
        grades_needed_to_act: z.int().describe('Grades of one class with which that probability is 0.8.'),
        tpr_proven: rate.describe(
          'Probability that one calibration against the present grades proves `tpr` as `trust` requires; nothing acts on that alone.',
        ),
        tnr_proven: rate,
        grades_needed: z.int().describe('Grades of one class with which the probability of that is 0.8.'),
      }),
    )
    .describe('For grades that were drawn at random; from strata they prove less.'),
  next_grades: z
    .object({ fails: z.int(), passes: z.int() })
    .nullable()
    .describe('The split of the next 50 grades with which corrected rates get narrowest; null without a calibration.'),
  grader_ceiling: z
    .object({ ceiling: rate, ci: RateInterval })
    .nullable()
    .describe(
      'The highest rate that a perfect judge can show, because graders disagree with each other; null when no item has two grades. Below the bar, sharpen the prompt instead of grading more.',
    ),
})

/** The rows that a calibration would judge, and its cost. */
export const CalibrationEstimate = z.object({
  object: z.literal('criterion.calibration_estimate'),
  rows: z.object({
    total: z.int(),
    fail: z.int(),
    pass: z.int(),
    ties: z.int(),
    picked: z.int().describe('Picked items that are left out.'),
    judged_twice: z
      .int()
      .default(0)
      .describe('Rows that are judged a second time, for `repeatability`: 5 %, at least 20. The cost includes them.'),
    incomplete: z.int().describe('Items that are left out because a stratum of their draw has no grade.'),
    unanswered: z
      .int()
      .describe('Items that were offered and have no grade. Each will count as an error of the judge.'),
  }),
  estimated_cost_usd: z
    .number()
    .describe("At list prices, with one token per four bytes of the judge's input and 200 tokens per verdict."),
  plan: GradingPlan,
})
export type CalibrationEstimate = z.infer<typeof CalibrationEstimate>

export const startCalibration = endpoint({
  method: 'post',
  path: '/v1/criteria/:id/calibrate',
  summary: 'Calibrate a judge.',
  description:
    'Judges every graded item of the population and compares the verdicts with the grades; 5 % of the items, at least 20, are judged a second time, for `repeatability`. Runs in the background: read the calibration until its status is DONE. A judge has one running calibration at a time. A dry run is answered with 200 and returns the number of rows, the estimated cost, and what the grades can prove.',
  service: 'judging',
  permission: 'owner_admin',
  guard: true,
  params: criterionParams,
  body: StartCalibration,
  reply: z.union([Calibration, CalibrationEstimate]),
  status: 202,
  requestHeaders: ['Idempotency-Key', 'Prefer'],
  errors: [
    'idempotency_conflict',
    'not_found',
    'conflict',
    'precondition_failed',
    'model_not_found',
    'unknown_provider',
    'unknown_parameter',
  ],
})

export const listCalibrations = endpoint({
  method: 'get',
  path: '/v1/criteria/:id/calibrations',
  summary: 'List calibrations.',
  description: 'Newest first, including voided ones.',
  service: 'judging',
  permission: 'any',
  params: criterionParams,
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: pageOf(Calibration),
  errors: ['not_found', 'unknown_parameter'],
})

const calibrationParams = z.strictObject({ id: z.string(), calibration_id: z.string() })

export const getCalibration = endpoint({
  method: 'get',
  path: '/v1/criteria/:id/calibrations/:calibration_id',
  summary: 'Read a calibration.',
  description: 'Includes the progress while it runs.',
  service: 'judging',
  permission: 'any',
  params: calibrationParams,
  reply: Calibration,
  requestHeaders: ['Prefer'],
  errors: ['not_found', 'unknown_parameter'],
})

export const CalibrationRow = z.object({
  label_id: z.string(),
  human: Verdict,
  judge: Verdict.nullable().describe('Null when the judge gave no verdict.'),
  explanation: z.string().nullable(),
  weight: z.number(),
  messages: z.array(ChatMessage),
  response: ChatMessage,
})
export type CalibrationRow = z.infer<typeof CalibrationRow>

export const listCalibrationRows = endpoint({
  method: 'get',
  path: '/v1/criteria/:id/calibrations/:calibration_id/rows',
  summary: 'List the rows of a calibration.',
  description: 'The compared items, by cell. `fn` lists items that people failed and the judge passed.',
  service: 'judging',
  permission: 'any',
  params: calibrationParams,
  query: z.strictObject({ cell: z.enum(['tp', 'fn', 'fp', 'tn']).optional(), limit: pageLimit, offset: pageOffset }),
  reply: pageOf(CalibrationRow),
  errors: ['not_found', 'unknown_parameter'],
})

/** The verdict of a judge on one exchange or run. */
export const CriterionVerdict = z.object({
  object: z.literal('criterion.verdict'),
  verdict: Verdict,
  explanation: z.string(),
  judge_model: z.string(),
  usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }),
  cost_usd: z.number(),
})

export const judgeOne = endpoint({
  method: 'post',
  path: '/v1/criteria/:id/judge',
  summary: 'Judge one exchange or run.',
  description:
    'Judges a log entry, a completed run by its trace id, or messages and an answer from the body. A judge of complete runs takes `trace_id`, or the messages and the last answer of a run. Only the charge is stored. If the judge gives no valid verdict it is called once more, and both calls are charged.',
  service: 'judging',
  permission: 'owner_admin',
  params: criterionParams,
  body: z.strictObject({
    log_id: z.string().optional(),
    trace_id: storable(z.string().min(1).max(200)).optional().describe('For a judge of complete runs.'),
    messages: listOf(ChatMessage).min(1).optional(),
    response: z.union([ChatMessage, z.string()]).optional(),
    tools: z.array(z.unknown()).nullish(),
  }),
  reply: CriterionVerdict,
  requestHeaders: ['Idempotency-Key'],
  errors: [
    'unsupported_unit',
    'not_found',
    'model_not_found',
    'unknown_provider',
    'context_length_exceeded',
    'insufficient_balance',
    'logging_disabled',
    'conflict',
    'idempotency_conflict',
    'upstream_error',
    'unknown_parameter',
  ],
})
