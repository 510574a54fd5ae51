import { z } from 'zod'
import { endpoint, Nothing } from './endpoint.ts'
import { pageFields, pageLimit, pageOffset } from './log-filters.ts'
import { storable } from './storable.ts'

export const trustStates = ['trustworthy', 'under-measured', 'borderline', 'misaligned', 'unmeasured'] as const
export const Trust = z.enum(trustStates)
export type Trust = z.infer<typeof Trust>

export const Verdict = z.enum(['pass', 'fail'])
export type Verdict = z.infer<typeof Verdict>

const rate = z.number().min(0).max(1)
/** Low and high end of a 95 % interval of a rate. */
export const RateInterval = z.tuple([rate, rate])

const gradesNeeded = z.int().min(0).nullable()

export const Criterion = z.object({
  object: z.literal('criterion'),
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  judge_prompt: z.string().describe('What makes an answer fail.'),
  judge_model: z.string(),
  status: z.enum(['draft', 'retired']).describe('`draft` is in use; how good it is, `trust` says.'),
  source: z.enum(['human', 'assist_suggested']),
  unit: z.enum(['request', 'trace']),
  population: z.string().describe('Tag of the traffic that it judges; empty for all of it.'),
  population_family: z.string().describe('Segment of the traffic that it judges; empty for all of them.'),
  tier: z.enum(['aligned', 'weak', 'misaligned', 'unmeasured']).describe('Of the raw rates; gates read `trust`.'),
  trust: Trust.describe('What the evidence proves; every gate reads it.'),
  tpr: rate.nullable().describe('Share of what people failed that the judge fails too.'),
  tnr: rate.nullable().describe('Share of what people passed that the judge passes too.'),
  tpr_ci: RateInterval.nullable().describe('95 % Wilson interval.'),
  tnr_ci: RateInterval.nullable().describe('95 % Wilson interval.'),
  kappa: z.number().nullable().describe("Cohen's kappa."),
  alignment_n: z.int().nullable().describe('Grades behind the calibration.'),
  aligned_at: z.iso.datetime().nullable(),
  fail_grades_needed: gradesNeeded.describe(
    'More grades of failing answers until `tpr` is proven at its present rate.',
  ),
  pass_grades_needed: gradesNeeded.describe('The same for passing answers and `tnr`.'),
  online_enabled: z.boolean().describe('Whether a sample of fresh traffic is judged.'),
  online_percent: z.int().min(0).max(100),
  online_cap_usd: z.number().describe('What that may cost in a week; 0 for any amount.'),
  online_spent_usd: z.number().describe('What it has cost this week.'),
  drift_status: z.enum(['ok', 'flagged']),
  drift_signal: z.enum(['stale', 'quality_drop']).nullable(),
  drift_reason: z.string().nullable(),
  drift_checked_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
})
export type Criterion = z.infer<typeof Criterion>

/** Smallest cap: money is counted in micro-dollars, and less than one would be 0, which caps nothing. */
const leastCapUsd = 0.000001
/** The most that a piece of background work may cost. */
export const maxCostUsd = z.number().min(leastCapUsd).max(1_000_000)

/** Largest judge prompt, characters. */
const longestPrompt = 32_768
const name = storable(z.string().trim().min(1).max(200))
const description = storable(z.string().max(2_000)).nullable()
const judgePrompt = storable(z.string().trim().min(1).max(longestPrompt))
const judgeModel = storable(z.string().min(1).max(200))
const scope = storable(z.string().max(200))
const percent = z.int().min(0).max(100)
const capUsd = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine((usd) => usd === 0 || usd >= leastCapUsd, `This must be 0, for no cap, or at least ${leastCapUsd}.`)

export const CreateCriterion = z.strictObject({
  name,
  judge_prompt: judgePrompt,
  judge_model: judgeModel,
  description: description.default(null),
  unit: Criterion.shape.unit.default('request'),
  population: scope.default(''),
  population_family: scope.default(''),
  source: Criterion.shape.source.default('human'),
  online_enabled: z.boolean().default(false),
  online_percent: percent.default(5),
  online_cap_usd: capUsd.default(0),
})
export type CreateCriterion = z.infer<typeof CreateCriterion>

export const UpdateCriterion = z.strictObject({
  name: name.optional(),
  description: description.optional(),
  judge_prompt: judgePrompt.optional(),
  judge_model: judgeModel.optional(),
  population: scope.optional(),
  population_family: scope.optional(),
  online_enabled: z.boolean().optional(),
  online_percent: percent.optional(),
  online_cap_usd: capUsd.optional(),
  status: Criterion.shape.status.optional(),
  /** Refused with a code of its own. */
  unit: z.unknown().optional(),
})
export type UpdateCriterion = z.infer<typeof UpdateCriterion>

export const criterionParams = z.strictObject({ id: z.string() })

export const createCriterion = endpoint({
  method: 'post',
  path: '/v1/criteria',
  summary: 'Create a judge.',
  description: 'Its prompt says what makes an answer fail. Until it is calibrated nothing relies on it.',
  service: 'judging',
  body: CreateCriterion,
  reply: Criterion,
  status: 201,
  errors: ['unknown_parameter', 'model_not_found', 'unknown_provider'],
})

export const listCriteria = endpoint({
  method: 'get',
  path: '/v1/criteria',
  summary: 'List judges.',
  description: 'The newest first.',
  service: 'judging',
  query: z.strictObject({
    status: Criterion.shape.status.optional(),
    trust: Trust.optional(),
    unit: Criterion.shape.unit.optional(),
    population: scope.optional(),
    limit: pageLimit,
    offset: pageOffset,
  }),
  reply: z.object({ object: z.literal('list'), data: z.array(Criterion), ...pageFields }),
  errors: ['unknown_parameter'],
})

export const getCriterion = endpoint({
  method: 'get',
  path: '/v1/criteria/:id',
  summary: 'Read a judge.',
  description: 'With what its last calibration proves.',
  service: 'judging',
  params: criterionParams,
  reply: Criterion,
  errors: ['not_found', 'unknown_parameter'],
})

export const updateCriterion = endpoint({
  method: 'patch',
  path: '/v1/criteria/:id',
  summary: 'Change a judge.',
  description:
    'A change of `judge_prompt`, `judge_model`, `population` or `population_family` voids the calibration; nothing else does. `unit` never changes.',
  service: 'judging',
  params: criterionParams,
  body: UpdateCriterion,
  reply: Criterion,
  errors: ['not_found', 'unknown_parameter', 'immutable_parameter', 'model_not_found', 'unknown_provider'],
})

export const deleteCriterion = endpoint({
  method: 'delete',
  path: '/v1/criteria/:id',
  summary: 'Delete a judge.',
  description: 'With its calibrations, scans and verdicts. Grades stay.',
  service: 'judging',
  params: criterionParams,
  body: Nothing,
  reply: z.object({ id: z.string(), deleted: z.literal(true) }),
  errors: ['not_found', 'criterion_in_use', 'unknown_parameter'],
})

export const monitorCriterion = endpoint({
  method: 'put',
  path: '/v1/criteria/:id/monitor',
  summary: 'Set what a judge monitors.',
  description: 'The monitoring fields alone, checked as `PATCH /v1/criteria/{id}` checks them.',
  service: 'judging',
  params: criterionParams,
  body: z.strictObject({
    online_enabled: z.boolean().optional(),
    online_percent: percent.optional(),
    online_cap_usd: capUsd.optional(),
  }),
  reply: Criterion,
  errors: ['not_found', 'unknown_parameter'],
})
