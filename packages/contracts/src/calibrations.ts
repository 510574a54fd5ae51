import { z } from 'zod'
import { criterionParams, RateInterval, Trust, Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { pageFields, pageLimit, pageOffset } from './log-filters.ts'

const rate = z.number().min(0).max(1)
const Message = z.looseObject({ role: z.string() })

/** States of background work of a judge. */
export const RunStatus = z.enum(['PENDING', 'RUNNING', 'DONE', 'FAILED'])

/** A measurement of a judge against grades. Rows of people's fails measure `tpr`, those of their passes `tnr`. */
export const Calibration = z.object({
  object: z.literal('criterion.calibration'),
  id: z.string(),
  criterion_id: z.string(),
  status: z.enum(['PENDING', 'RUNNING', 'DONE', 'FAILED', 'VOIDED']),
  progress: z.object({ done: z.int(), total: z.int() }),
  error: z.string().nullable(),
  prompt_sha256: z.string(),
  judge_model: z.string(),
  judge_model_resolved: z.string().nullable().describe('As the provider called what answered.'),
  judge_fingerprint: z.string().nullable(),
  confusion: z.object({ tp: z.int(), fn: z.int(), fp: z.int(), tn: z.int() }).describe('Positive is FAIL.'),
  n_unparseable: z.int().describe('Rows without a verdict after a second try; they count nowhere else.'),
  n_ties: z.int().describe('Items whose graders are of two minds; left out, to be adjudicated.'),
  tpr: rate.nullable(),
  tnr: rate.nullable(),
  tpr_ci: RateInterval.nullable(),
  tnr_ci: RateInterval.nullable(),
  kappa: z.number().nullable(),
  kappa_note: z.string().nullable(),
  trust: Trust,
  sampling: z.enum(['random', 'weighted']),
  effective_n_fail: z.number(),
  effective_n_pass: z.number(),
  looks: z
    .int()
    .describe(
      'Calibrations of this instrument so far, this one included: each is a look at the grades. 0 unless DONE.',
    ),
  notes: z.array(z.string()).describe('What to know before relying on the numbers, in plain words.'),
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
  sampling: z.enum(['random', 'any']).nullish().describe('`random` leaves out grades of items chosen otherwise.'),
})

export const StartCalibration = z.strictObject({
  label_filter: LabelFilter.default({}),
  max_rows: z.int().min(1).max(10_000).nullish().describe('Most rows; the newest grades first.'),
  dry_run: z.boolean().default(false),
})
export type StartCalibration = z.infer<typeof StartCalibration>

/** What a calibration would look at and cost. */
export const CalibrationEstimate = z.object({
  object: z.literal('criterion.calibration_estimate'),
  rows: z.object({ total: z.int(), fail: z.int(), pass: z.int(), ties: z.int() }),
  estimated_cost_usd: z
    .number()
    .describe('A token for four bytes of what the judge is shown, and 200 tokens for each verdict, at list prices.'),
})
export type CalibrationEstimate = z.infer<typeof CalibrationEstimate>

export const startCalibration = endpoint({
  method: 'post',
  path: '/v1/criteria/:id/calibrate',
  summary: 'Calibrate a judge.',
  description:
    'Judges every graded item of its population and compares. Runs in the background; read it until it is DONE. A judge is calibrated once at a time. A dry run is answered with 200 and says what it would look at and cost.',
  service: 'judging',
  params: criterionParams,
  body: StartCalibration,
  reply: z.union([Calibration, CalibrationEstimate]),
  status: 202,
  requestHeaders: ['Idempotency-Key'],
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
  description: 'The newest first, with those that were voided.',
  service: 'judging',
  params: criterionParams,
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: z.object({ object: z.literal('list'), data: z.array(Calibration), ...pageFields }),
  errors: ['not_found', 'unknown_parameter'],
})

const calibrationParams = z.strictObject({ id: z.string(), calibration_id: z.string() })

export const getCalibration = endpoint({
  method: 'get',
  path: '/v1/criteria/:id/calibrations/:calibration_id',
  summary: 'Read a calibration.',
  description: 'With its progress while it runs.',
  service: 'judging',
  params: calibrationParams,
  reply: Calibration,
  errors: ['not_found', 'unknown_parameter'],
})

export const CalibrationRow = z.object({
  label_id: z.string(),
  human: Verdict,
  judge: Verdict.nullable().describe('Null where the judge gave no verdict.'),
  explanation: z.string().nullable(),
  weight: z.number(),
  messages: z.array(Message),
  response: Message,
})
export type CalibrationRow = z.infer<typeof CalibrationRow>

export const listCalibrationRows = endpoint({
  method: 'get',
  path: '/v1/criteria/:id/calibrations/:calibration_id/rows',
  summary: 'Read where a judge and people differ.',
  description: 'The rows of a calibration, by cell: `fn` is what people failed and the judge passed.',
  service: 'judging',
  params: calibrationParams,
  query: z.strictObject({ cell: z.enum(['tp', 'fn', 'fp', 'tn']).optional(), limit: pageLimit, offset: pageOffset }),
  reply: z.object({ object: z.literal('list'), data: z.array(CalibrationRow), ...pageFields }),
  errors: ['not_found', 'unknown_parameter'],
})

/** What a judge says of one exchange. */
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
  summary: 'Judge one exchange now.',
  description:
    'A log entry, or messages and an answer that are sent along. Nothing is kept but the charge. A judge that gives no verdict is asked once more, and charged for both.',
  service: 'judging',
  params: criterionParams,
  body: z.strictObject({
    log_id: z.string().optional(),
    messages: z.array(Message).min(1).optional(),
    response: z.union([Message, z.string()]).optional(),
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
