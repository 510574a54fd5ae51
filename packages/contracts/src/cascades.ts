import { z } from 'zod'
import { maxCostUsd, RateInterval } from './criteria.ts'
import { endpoint, Nothing } from './endpoint.ts'
import { SampleFilters } from './internal-logs.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'
import { storable } from './storable.ts'

const rate = z.number().min(0).max(1)
const runStatus = z.enum(['PENDING', 'RUNNING', 'DONE', 'FAILED'])

/** How often a judge judges an item. A share of equal verdicts is its confidence. */
export const verdictCounts = [1, 3, 5] as const
const verdictCount = z.union(verdictCounts.map((count) => z.literal(count)))

export const CascadeMember = z.object({
  criterion_id: z.string(),
  verdicts: verdictCount.describe('Number of verdicts, each on the same item by instructions in other words.'),
})

/** What a calibration of a cascade found. */
export const CascadeCalibration = z.object({
  object: z.literal('cascade.calibration'),
  id: z.string(),
  status: z.enum([...runStatus.options, 'VOIDED']),
  progress: z.object({ done: z.int(), total: z.int() }),
  error: z.string().nullable(),
  void_reason: z.string().nullable().describe('What changed after the calibration, so that it promises nothing now.'),
  graded: z.int().describe('Number of graded items.'),
  left_out: z.int().describe('Grades without a known draw, ties, and items that a judge prompt was tuned on.'),
  unanswered: z
    .int()
    .describe(
      'Items that were offered before others that have a grade, and have none. Each counts as decided wrongly.',
    ),
  ordinal: z
    .int()
    .describe(
      'Number of calibrations so far, with this one, of all cascades of the workspace, deleted ones too: a copy of a cascade or of a judge is no new chance to be wrong.',
    ),
  error_probability: z
    .number()
    .describe(
      'The probability with which this calibration may promise too much. The n-th has (1 − confidence) / (n (n + 1)), so that all together have 1 − confidence.',
    ),
  is_proven: z.boolean().describe('Whether thresholds with the promised agreement were proven.'),
  thresholds: z
    .array(
      z.object({
        criterion_id: z.string(),
        verdicts: z.int(),
        min_equal: z.int().nullable().describe('Equal verdicts with which the judge decides; null when it never does.'),
      }),
    )
    .describe('Empty when nothing is proven.'),
  coverage: rate.nullable().describe('Share of the traffic that the cascade decides.'),
  agreement: rate.nullable().describe('Share of what it decides on which people agree, in the graded items.'),
  agreement_ci: RateInterval.nullable().describe(
    '95 % interval. The promise is not its lower bound, but that of the test with which the thresholds were chosen.',
  ),
  shares: z.array(z.object({ criterion_id: z.string(), share: rate })).describe('Share of the traffic by who decides.'),
  usd_per_1000: z.number().nullable().describe('Cost of 1,000 items.'),
  last_judge_usd_per_1000: z
    .number()
    .nullable()
    .describe('Cost of one verdict of the last judge on each of 1,000 items.'),
  saving: z.number().nullable().describe('Share of that cost that the cascade saves; negative when it costs more.'),
  cost_usd: z.number(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
})
export type CascadeCalibration = z.infer<typeof CascadeCalibration>

export const Cascade = z.object({
  object: z.literal('cascade'),
  id: z.string(),
  name: z.string(),
  members: z.array(CascadeMember),
  agreement: rate.describe('Promised share of decided items on which people agree.'),
  confidence: rate.describe(
    'Probability with which all calibrations of cascades of the workspace keep the promise together.',
  ),
  can_scan: z
    .boolean()
    .describe('Whether its last finished calibration proved thresholds, and no judge changed since.'),
  calibration: CascadeCalibration.nullable().describe('The last calibration.'),
  created_at: z.iso.datetime(),
})
export type Cascade = z.infer<typeof Cascade>

export const CreateCascade = z.strictObject({
  name: storable(z.string().min(1).max(200)),
  members: z
    .array(
      z.strictObject({
        criterion_id: z.string().describe('The last one must ask what people grade, because its grades count.'),
        verdicts: verdictCount.optional(),
      }),
    )
    .min(2)
    .max(3)
    .describe('The cheapest first. 3 verdicts each by default, and 1 of the last.'),
  agreement: z.number().min(0.5).max(0.99).default(0.9),
  confidence: z.number().min(0.5).max(0.99).default(0.95),
})
export type CreateCascade = z.infer<typeof CreateCascade>

const params = z.strictObject({ id: z.string() })
const scanParams = z.strictObject({ id: z.string(), cascade_scan_id: z.string() })

export const createCascade = endpoint({
  method: 'post',
  path: '/v1/cascades',
  summary: 'Create a cascade of judges.',
  description:
    'Two or three judges of the same unit and population: each decides when enough of its verdicts are equal, else the next is called, and what none decides is left to people. It reports on samples of the log. Gates, evidence and rewards do not act on it.',
  service: 'judging',
  permission: 'owner_admin',
  body: CreateCascade,
  reply: Cascade,
  status: 201,
  errors: ['not_found', 'unknown_parameter'],
})

export const listCascades = endpoint({
  method: 'get',
  path: '/v1/cascades',
  summary: 'List cascades.',
  description: 'Newest first.',
  service: 'judging',
  permission: 'any',
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: pageOf(Cascade),
  errors: ['unknown_parameter'],
})

export const getCascade = endpoint({
  method: 'get',
  path: '/v1/cascades/:id',
  summary: 'Read a cascade.',
  description: 'With its last calibration, and the progress of it. `Prefer: wait=N` waits for the calibration.',
  service: 'judging',
  permission: 'any',
  params,
  reply: Cascade,
  requestHeaders: ['Prefer'],
  errors: ['not_found', 'unknown_parameter'],
})

export const deleteCascade = endpoint({
  method: 'delete',
  path: '/v1/cascades/:id',
  summary: 'Delete a cascade.',
  description: 'Its judges and their grades are kept.',
  service: 'judging',
  permission: 'owner_admin',
  params,
  body: Nothing,
  reply: z.object({ id: z.string(), deleted: z.literal(true) }),
  errors: ['not_found', 'unknown_parameter'],
})

export const calibrateCascade = endpoint({
  method: 'post',
  path: '/v1/cascades/:id/calibrate',
  summary: 'Calibrate a cascade.',
  description:
    'All its judges judge every item that people graded for the last one. The thresholds that decide most, of those that a test proves to agree with people as promised, are stored. Only grades whose draw is known count. A change of a judge voids it.',
  service: 'judging',
  permission: 'owner_admin',
  guard: true,
  params,
  body: z.strictObject({ max_cost_usd: maxCostUsd.nullish() }),
  reply: CascadeCalibration,
  status: 202,
  requestHeaders: ['Idempotency-Key', 'Prefer'],
  errors: ['idempotency_conflict', 'not_found', 'conflict', 'precondition_failed', 'unknown_parameter'],
})

export const CascadeScan = z.object({
  object: z.literal('cascade.scan'),
  id: z.string(),
  cascade_id: z.string(),
  status: runStatus,
  progress: z.object({ done: z.int(), total: z.int() }).describe('Verdicts. The total grows with each judge.'),
  error: z.string().nullable(),
  filters: SampleFilters,
  sample_count: z.int(),
  matched: z.int().nullable(),
  decided: z.int(),
  undecided: z.int(),
  unjudged: z.int().describe('Items that were deleted, or beyond the maximum cost. They are in no other count.'),
  undecided_share: rate.nullable().describe('Of the judged items.'),
  raw_fail_rate: rate.nullable().describe('Of the decided items, by the verdicts.'),
  corrected_fail_rate: rate
    .nullable()
    .describe('Of the decided items, corrected for the errors that the calibration found.'),
  corrected_ci: RateInterval.nullable().describe('95 % interval.'),
  fail_rate_bounds: RateInterval.nullable().describe(
    'Bounds for all judged items: the interval, when none of the undecided items fails, and when all do.',
  ),
  shares: z.array(z.object({ criterion_id: z.string(), share: rate })).describe('Of the judged items, by who decided.'),
  cost_usd: z.number(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
})
export type CascadeScan = z.infer<typeof CascadeScan>

export const startCascadeScan = endpoint({
  method: 'post',
  path: '/v1/cascades/:id/scan',
  summary: 'Scan traffic with a cascade.',
  description:
    'Decides a random sample of the log in the background, with the thresholds of the last finished calibration.',
  service: 'judging',
  permission: 'owner_admin',
  guard: true,
  params,
  body: z.strictObject({
    filters: SampleFilters.default({}).describe('Restricts the population of the judges further.'),
    sample_count: z.int().min(1).max(1_000).default(200),
    max_cost_usd: maxCostUsd.nullish(),
  }),
  reply: CascadeScan,
  status: 202,
  requestHeaders: ['Idempotency-Key', 'Prefer'],
  errors: ['idempotency_conflict', 'not_found', 'precondition_failed', 'logging_disabled', 'unknown_parameter'],
})

export const getCascadeScan = endpoint({
  method: 'get',
  path: '/v1/cascades/:id/scans/:cascade_scan_id',
  summary: 'Read a scan of a cascade.',
  description: 'Includes its progress while it runs.',
  service: 'judging',
  permission: 'any',
  params: scanParams,
  reply: CascadeScan,
  requestHeaders: ['Prefer'],
  errors: ['not_found', 'unknown_parameter'],
})

export const listUndecided = endpoint({
  method: 'get',
  path: '/v1/cascades/:id/scans/:cascade_scan_id/undecided',
  summary: 'List what people must decide.',
  description: 'The items of a finished scan that no judge decided. Expired ones are left out.',
  service: 'judging',
  permission: 'any',
  params: scanParams,
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: pageOf(z.object({ log_id: z.string().nullable(), trace_id: z.string().nullable() })),
  errors: ['not_found', 'unknown_parameter'],
})
