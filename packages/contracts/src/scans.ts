import { z } from 'zod'
import { RunStatus } from './calibrations.ts'
import { ChatMessage } from './chat-message.ts'
import { criterionParams, maxCostUsd, RateInterval, Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { SampleFilters } from './internal-logs.ts'
import { LabelSampling } from './labels.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'
import { flag, moment, wholeNumber } from './query-values.ts'

const rate = z.number().min(0).max(1)

/** The verdicts of a judge on a random sample of traffic. */
export const Scan = z.object({
  object: z.literal('criterion.scan'),
  id: z.string(),
  criterion_id: z.string(),
  status: z.enum([...RunStatus.options, 'VOIDED']),
  progress: z.object({ done: z.int(), total: z.int() }),
  error: z.string().nullable(),
  filters: SampleFilters,
  sample_count: z.int(),
  matched: z.int().nullable().describe('Number of exchanges or completed runs that the sample was drawn from.'),
  judged: z.int().describe('Number of exchanges or runs with a verdict.'),
  n_unparseable: z.int(),
  n_unjudged: z
    .int()
    .describe(
      'Number of exchanges or runs that were deleted, too large, refused by the model, or beyond the maximum cost of the scan.',
    ),
  raw_pass_rate: rate
    .nullable()
    .describe(
      'Pass rate by the verdicts of the judge, including its errors. It is not the rate that people would give.',
    ),
  corrected_pass_rate: rate
    .nullable()
    .describe('Pass rate, corrected for the known errors of the judge; null when too little is known about them.'),
  corrected_ci: RateInterval.nullable().describe('95 % interval.'),
  method: z
    .enum(['gold_only', 'ppi_plus_plus', 'rogan_gladen'])
    .nullable()
    .describe('The method, which is chosen by the numbers of grades before any interval is computed.'),
  by_segment: z.array(
    z.object({
      segment: z.string(),
      judged: z.int(),
      raw_pass_rate: rate,
      corrected_pass_rate: rate.nullable(),
      corrected_ci: RateInterval.nullable(),
    }),
  ),
  cost_usd: z.number(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
})
export type Scan = z.infer<typeof Scan>

export const StartScan = z.strictObject({
  filters: SampleFilters.default({}).describe('Restricts the population of the judge further.'),
  sample_count: z.int().min(1).max(2_000).default(200),
  max_cost_usd: maxCostUsd.nullish().describe('Maximum cost. The rest of the sample remains unjudged.'),
  dry_run: z.boolean().default(false),
})
/** What a scan would judge, and its cost. */
export const ScanEstimate = z.object({
  object: z.literal('criterion.scan_estimate'),
  matched: z.int().describe('Number of exchanges or completed runs that the sample would be drawn from.'),
  sample_count: z.int().describe('Number of them that would be judged.'),
  estimated_cost_usd: z
    .number()
    .describe(
      'At list prices, from the tokens of up to 200 of them. Twice as much if every verdict must be requested again.',
    ),
})
export type ScanEstimate = z.infer<typeof ScanEstimate>

export type StartScan = z.infer<typeof StartScan>

export const startScan = endpoint({
  method: 'post',
  path: '/v1/criteria/:id/scan',
  summary: 'Scan traffic with a judge.',
  description:
    'Judges a random sample of the log in the background. Returns the raw pass rate and, if the judge is calibrated, the rate corrected for its errors. A judge of complete runs judges completed runs, and counts each run once; `tag`, `segment` and `model` are its only filters. A dry run is answered with 200 and returns the estimated cost.',
  service: 'judging',
  permission: 'owner_admin',
  guard: true,
  params: criterionParams,
  body: StartScan,
  reply: z.union([Scan, ScanEstimate]),
  status: 202,
  requestHeaders: ['Idempotency-Key', 'Prefer'],
  errors: [
    'idempotency_conflict',
    'not_found',
    'logging_disabled',
    'model_not_found',
    'unknown_provider',
    'unknown_parameter',
  ],
})

export const getScan = endpoint({
  method: 'get',
  path: '/v1/criteria/:id/scans/:scan_id',
  summary: 'Read a scan.',
  description: 'Includes its progress while it runs.',
  service: 'judging',
  permission: 'any',
  params: z.strictObject({ id: z.string(), scan_id: z.string() }),
  reply: Scan,
  requestHeaders: ['Prefer'],
  errors: ['not_found', 'unknown_parameter'],
})

export const VerdictRow = z.object({
  object: z.literal('criterion.verdict'),
  id: z.string(),
  log_id: z.string().nullable(),
  trace_id: z.string().nullable().describe('The run that was judged as a whole.'),
  label_id: z.string().nullable(),
  source: z.enum(['online', 'scan', 'calibration', 'gate']),
  verdict: Verdict,
  explanation: z.string().nullable(),
  judge_model: z.string().nullable().describe('The name of the model at the provider.'),
  segment: z.string(),
  tag: z.string().nullable(),
  cost_usd: z.number(),
  judged_at: z.iso.datetime(),
})
export type VerdictRow = z.infer<typeof VerdictRow>

export const listVerdicts = endpoint({
  method: 'get',
  path: '/v1/criteria/:id/verdicts',
  summary: 'List the verdicts of a judge.',
  description: 'Newest first.',
  service: 'judging',
  permission: 'any',
  params: criterionParams,
  query: z.strictObject({
    verdict: Verdict.optional(),
    source: VerdictRow.shape.source.optional(),
    log_id: z.string().describe('Only verdicts on this exchange.').optional(),
    start: moment.describe('Judged at or after this time.').optional(),
    end: moment.describe('Judged before this time.').optional(),
    limit: pageLimit,
    offset: pageOffset,
  }),
  reply: pageOf(VerdictRow),
  errors: ['not_found', 'unknown_parameter'],
})

export const GradeCandidate = z.object({
  log_id: z.string().nullable().describe('Null for a run.'),
  trace_id: z.string().nullable().default(null).describe('A complete run, for a judge of runs; else null.'),
  created_at: z.iso.datetime().describe('Of a run: time of its last step.'),
  segment: z.string(),
  tag: z.string().nullable(),
  sampling_probability: z.number().gt(0).max(1).describe('Share of its stratum that was listed until now.'),
  stratum: z.string(),
  sampling: LabelSampling.describe(
    'A grade of an exchange that was listed here counts as drawn so, whatever its `sampling` states.',
  ),
  messages: z.array(ChatMessage),
  response: ChatMessage,
  tools: z.array(z.unknown()).nullable(),
  judge_verdict: Verdict.nullable().optional().describe('Only with `reveal=true`.'),
})
export type GradeCandidate = z.infer<typeof GradeCandidate>

/** Time of a person for a grade, until grades of the workspace show it. */
export const assumedSecondsPerGrade = 15

/** How many further grades prove a judge, with which chance. */
export const GradingForecast = z.object({
  object: z.literal('criterion.grading_plan'),
  open_sides: z.array(z.enum(['tpr', 'tnr'])).describe('Rates that are not proven yet.'),
  chance: rate.describe('The chance that `grades_needed` is for.'),
  grades_needed: z
    .int()
    .nullable()
    .describe(
      'The smallest number of further grades after which a calibration gives the right to act with this chance; 0 when the judge has it, null when no number is known.',
    ),
  reason: z
    .enum(['not_measured', 'below_bar', 'frame_too_small', 'too_many_grades'])
    .nullable()
    .describe(
      'Why no number is known: `not_measured` until there are grades of both classes (with `random`, a calibration too), `below_bar` when a rate is proven to be too low, `frame_too_small` when all exchanges of the frame are not enough, `too_many_grades` when 1,000 are not.',
    ),
  order: z
    .array(z.object({ stratum: z.string(), grades: z.int() }))
    .describe('How many of these grades each stratum gets. Grade the exchanges in the order in which they are listed.'),
  curve: z
    .array(z.object({ grades: z.int(), p_trustworthy: rate, p_can_act: rate }))
    .describe('The chances after a number of further grades and a calibration, from 200 seeded draws.'),
  seconds_per_grade: z.number().describe('Time of a person for a grade.'),
  seconds_per_grade_from: z
    .enum(['grades', 'assumed'])
    .describe('`grades`: the median of the latest grades in rounds of this workspace; `assumed` until there are ten.'),
  minutes_needed: z.number().nullable().describe('Time of people for `grades_needed`, minutes.'),
  cost_usd_needed: z
    .number()
    .nullable()
    .describe(
      'Cost of the calibration after them, with the exchanges of the frame that are graded already; null when `grades_needed` or the price of a verdict is not known.',
    ),
})
export type GradingForecast = z.infer<typeof GradingForecast>

export const nextToGrade = endpoint({
  method: 'get',
  path: '/v1/criteria/:id/next_to_grade',
  summary: 'List exchanges or runs to grade next.',
  description:
    'Logged exchanges of the population without a grade; for a judge of runs completed runs, with their messages in one conversation, as the judge reads them. They come from a frame: up to 2,000 exchanges, drawn once, in a random order, so that what has been graded of it is a sample of it. `random` (the default) draws from all traffic. The others choose among exchanges that the judge has judged, by strata of its verdicts, whose grades are weighted: `balanced` lists as many that the judge failed as that it passed, `disagreement` prefers those on which its verdicts differ, `plan` takes each from the stratum that makes the intervals of the rates that are not proven yet narrower than any other. `plan` of the answer says how many grades are needed. The verdict of the judge is left out by default, because a blind grade is worth more.',
  service: 'judging',
  permission: 'any',
  params: criterionParams,
  query: z.strictObject({
    limit: wholeNumber({ min: 1, max: 50 }).default(10),
    strategy: z.enum(['random', 'balanced', 'disagreement', 'plan']).default('random'),
    reveal: flag.default(false),
  }),
  reply: z.object({
    object: z.literal('list'),
    data: z.array(GradeCandidate),
    strategy: z.string(),
    plan: GradingForecast.nullable().describe('Null when no exchange is left to grade.'),
  }),
  errors: ['not_found', 'logging_disabled', 'unknown_parameter'],
})
