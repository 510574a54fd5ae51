import { z } from 'zod'
import { RunStatus } from './calibrations.ts'
import { criterionParams, maxCostUsd, RateInterval, Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { SampleFilters } from './internal-logs.ts'
import { pageFields, pageLimit, pageOffset } from './log-filters.ts'
import { flag, moment, wholeNumber } from './query-values.ts'

const rate = z.number().min(0).max(1)
const Message = z.looseObject({ role: z.string() })

/** A judge's look at a random sample of traffic. */
export const Scan = z.object({
  object: z.literal('criterion.scan'),
  id: z.string(),
  criterion_id: z.string(),
  status: z.enum([...RunStatus.options, 'VOIDED']),
  progress: z.object({ done: z.int(), total: z.int() }),
  error: z.string().nullable(),
  filters: SampleFilters,
  sample_count: z.int(),
  matched: z.int().nullable().describe('Exchanges that the sample was drawn from.'),
  judged: z.int().describe('Exchanges with a verdict.'),
  n_unparseable: z.int(),
  n_unjudged: z.int().describe('Gone, too large, declined, or beyond what the scan may cost.'),
  raw_pass_rate: rate.nullable().describe('As the judge says, mistakes included: not what a person would say.'),
  corrected_pass_rate: rate
    .nullable()
    .describe('With what is known of its mistakes taken out; null where that is too little.'),
  corrected_ci: RateInterval.nullable().describe('95 %.'),
  method: z
    .enum(['gold_only', 'ppi_plus_plus', 'rogan_gladen'])
    .nullable()
    .describe('The narrowest of the methods that are valid for the evidence.'),
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
  filters: SampleFilters.default({}).describe('Narrow the traffic further than the population of the judge does.'),
  sample_count: z.int().min(1).max(2_000).default(200),
  max_cost_usd: maxCostUsd.nullish().describe('Spends no more; what is left stays unjudged.'),
})
export type StartScan = z.infer<typeof StartScan>

export const startScan = endpoint({
  method: 'post',
  path: '/v1/criteria/:id/scan',
  summary: 'Scan traffic with a judge.',
  description:
    'Judges a random sample of the log in the background. Tells the raw pass rate and, where a calibration allows, the rate corrected for the mistakes of the judge.',
  service: 'judging',
  params: criterionParams,
  body: StartScan,
  reply: Scan,
  status: 202,
  requestHeaders: ['Idempotency-Key'],
  errors: ['unsupported_unit', 'idempotency_conflict', 'not_found', 'logging_disabled', 'unknown_parameter'],
})

export const getScan = endpoint({
  method: 'get',
  path: '/v1/criteria/:id/scans/:scan_id',
  summary: 'Read a scan.',
  description: 'With its progress while it runs.',
  service: 'judging',
  params: z.strictObject({ id: z.string(), scan_id: z.string() }),
  reply: Scan,
  errors: ['not_found', 'unknown_parameter'],
})

export const VerdictRow = z.object({
  object: z.literal('criterion.verdict'),
  id: z.string(),
  log_id: z.string().nullable(),
  label_id: z.string().nullable(),
  source: z.enum(['online', 'scan', 'calibration', 'gate']),
  verdict: Verdict,
  explanation: z.string().nullable(),
  judge_model: z.string().nullable().describe('As the provider calls it.'),
  segment: z.string(),
  tag: z.string().nullable(),
  cost_usd: z.number(),
  judged_at: z.iso.datetime(),
})
export type VerdictRow = z.infer<typeof VerdictRow>

export const listVerdicts = endpoint({
  method: 'get',
  path: '/v1/criteria/:id/verdicts',
  summary: 'List what a judge said.',
  description: 'The newest first.',
  service: 'judging',
  params: criterionParams,
  query: z.strictObject({
    verdict: Verdict.optional(),
    source: VerdictRow.shape.source.optional(),
    start: moment.describe('Judged then or later.').optional(),
    end: moment.describe('Judged before.').optional(),
    limit: pageLimit,
    offset: pageOffset,
  }),
  reply: z.object({ object: z.literal('list'), data: z.array(VerdictRow), ...pageFields }),
  errors: ['not_found', 'unknown_parameter'],
})

export const GradeCandidate = z.object({
  log_id: z.string(),
  created_at: z.iso.datetime(),
  segment: z.string(),
  tag: z.string().nullable(),
  sampling_probability: z.number().gt(0).max(1).describe('Send it along with the grade.'),
  stratum: z.string(),
  messages: z.array(Message),
  response: Message,
  tools: z.array(z.unknown()).nullable(),
  judge_verdict: Verdict.nullable().optional().describe('With `reveal=true` only.'),
})
export type GradeCandidate = z.infer<typeof GradeCandidate>

export const nextToGrade = endpoint({
  method: 'get',
  path: '/v1/criteria/:id/next_to_grade',
  summary: 'See what to grade next.',
  description:
    'Logged exchanges of the population that nobody has graded yet. `random` draws from all of them; `balanced` draws as many that the judge failed as that it passed; `disagreement` prefers those on which looks of the judge differ. The last two draw from what was judged, and with known probability, so that grades of them can be weighted. The verdict of the judge is not told, for a grade given blind is worth more.',
  service: 'judging',
  params: criterionParams,
  query: z.strictObject({
    limit: wholeNumber({ min: 1, max: 50 }).default(10),
    strategy: z.enum(['balanced', 'random', 'disagreement']).default('balanced'),
    reveal: flag.default(false),
  }),
  reply: z.object({ object: z.literal('list'), data: z.array(GradeCandidate), strategy: z.string() }),
  errors: ['unsupported_unit', 'not_found', 'logging_disabled', 'unknown_parameter'],
})
