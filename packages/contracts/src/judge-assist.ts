import { z } from 'zod'
import { RunStatus } from './calibrations.ts'
import { criterionParams, maxCostUsd, RateInterval } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { SampleFilters } from './internal-logs.ts'
import { storable } from './storable.ts'

const rate = z.number().min(0).max(1)
const model = storable(z.string().min(1).max(200))

/** Judges that a model suggests for a workspace. None exists until a user creates it. */
export const Suggestions = z.object({
  object: z.literal('criterion.suggestions'),
  id: z.string(),
  status: RunStatus,
  error: z.string().nullable(),
  model: z.string(),
  evidence: z
    .object({ graded_fails: z.int(), exchanges: z.int() })
    .describe('The input of the model: graded failures, and other exchanges of the segment.'),
  suggestions: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      judge_prompt: z.string(),
      evidence_log_ids: z.array(z.string()),
    }),
  ),
  cost_usd: z.number(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
})
export type Suggestions = z.infer<typeof Suggestions>

export const SuggestCriteria = z.strictObject({
  segment: storable(z.string().min(1).max(200)).nullish(),
  filters: SampleFilters.default({}),
  max_suggestions: z.int().min(1).max(5).default(3),
  model: model.nullish().describe("The model that suggests; by default the model of the workspace's newest judge."),
})
export type SuggestCriteria = z.infer<typeof SuggestCriteria>

export const suggestCriteria = endpoint({
  method: 'post',
  path: '/v1/criteria/suggest',
  summary: 'Request suggestions for judges.',
  description:
    'A model reads graded failures and a sample of the segment, including complaints of users, and suggests what to judge. Runs in the background. To use a suggestion, create it with `"source": "assist_suggested"`.',
  service: 'judging',
  permission: 'owner_admin',
  guard: true,
  body: SuggestCriteria,
  reply: Suggestions,
  status: 202,
  requestHeaders: ['Idempotency-Key', 'Prefer'],
  errors: ['idempotency_conflict', 'model_not_found', 'logging_disabled', 'unknown_parameter'],
})

export const getSuggestions = endpoint({
  method: 'get',
  path: '/v1/criteria/suggest/:suggestion_id',
  summary: 'Read suggestions for judges.',
  description: 'Empty until the status is DONE.',
  service: 'judging',
  permission: 'any',
  params: z.strictObject({ suggestion_id: z.string() }),
  reply: Suggestions,
  requestHeaders: ['Prefer'],
  errors: ['not_found', 'unknown_parameter'],
})

export const Metrics = z.object({
  rows: z.int(),
  tpr: rate.nullable(),
  tnr: rate.nullable(),
  tpr_ci: RateInterval.nullable(),
  tnr_ci: RateInterval.nullable(),
  n_unparseable: z.int(),
})

/** Why an improvement proposes no prompt. */
export const noImprovementReasons = [
  'no_mistakes',
  'no_new_prompt',
  'not_better_in_training',
  'not_better_on_holdout',
] as const
export const NoImprovementReason = z.enum(noImprovementReasons)
export type NoImprovementReason = z.infer<typeof NoImprovementReason>

/**
 * A better prompt for a judge, made from some of the grades and measured on the others. It does not change the judge.
 */
export const Improvement = z.object({
  object: z.literal('criterion.improvement'),
  id: z.string(),
  criterion_id: z.string(),
  status: z.enum([...RunStatus.options, 'VOIDED']),
  error: z.string().nullable(),
  progress: z.object({ iteration: z.int(), max_iterations: z.int() }),
  proposed_judge_prompt: z
    .string()
    .nullable()
    .describe('Null while it runs, and when no prompt was better than the current one.'),
  reason: NoImprovementReason.nullable().describe(
    'Why it is DONE without a prompt: `no_mistakes` when the judge is right about all grades that prompts are made from, `no_new_prompt` when the model gave none that was not tried, `not_better_in_training`, `not_better_on_holdout`.',
  ),
  train_metrics: Metrics.nullable().describe(
    'Rates of the proposed prompt on the grades that it was made from, which are too favourable.',
  ),
  holdout_metrics: Metrics.nullable().describe('Rates of the proposed prompt on grades that were not used to make it.'),
  current_holdout_metrics: Metrics.nullable().describe('Rates of the current prompt on the same grades.'),
  diff: z.string().nullable().describe('Unified diff from the current prompt.'),
  cost_usd: z.number(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
})
export type Improvement = z.infer<typeof Improvement>

export const ImproveCriterion = z.strictObject({
  max_iterations: z.int().min(1).max(10).default(3),
  max_cost_usd: maxCostUsd.nullish(),
  model: model.nullish().describe("The model that rewrites the prompt; by default the judge's own."),
})
export type ImproveCriterion = z.infer<typeof ImproveCriterion>

export const improveCriterion = endpoint({
  method: 'post',
  path: '/v1/criteria/:id/improve',
  summary: 'Improve the prompt of a judge.',
  description:
    'Rewrites the prompt with the errors on one half of the grades, and measures the best candidate on the other half. To apply it, PATCH the judge, which voids its calibration.',
  service: 'judging',
  permission: 'owner_admin',
  guard: true,
  params: criterionParams,
  body: ImproveCriterion,
  reply: Improvement,
  status: 202,
  requestHeaders: ['Idempotency-Key', 'Prefer'],
  errors: [
    'idempotency_conflict',
    'not_found',
    'precondition_failed',
    'model_not_found',
    'unknown_parameter',
    'unsupported_kind',
  ],
})

export const getImprovement = endpoint({
  method: 'get',
  path: '/v1/criteria/:id/improvements/:improvement_id',
  summary: 'Read an improvement.',
  description: 'Includes its progress while it runs.',
  service: 'judging',
  permission: 'any',
  params: z.strictObject({ id: z.string(), improvement_id: z.string() }),
  reply: Improvement,
  requestHeaders: ['Prefer'],
  errors: ['not_found', 'unknown_parameter'],
})
