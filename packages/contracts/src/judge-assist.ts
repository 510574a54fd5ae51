import { z } from 'zod'
import { RunStatus } from './calibrations.ts'
import { criterionParams, maxCostUsd, RateInterval } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { SampleFilters } from './internal-logs.ts'
import { storable } from './storable.ts'

const rate = z.number().min(0).max(1)
const model = storable(z.string().min(1).max(200))

/** Judges that a model thinks a workspace needs. None exists until somebody creates it. */
export const Suggestions = z.object({
  object: z.literal('criterion.suggestions'),
  id: z.string(),
  status: RunStatus,
  error: z.string().nullable(),
  model: z.string(),
  evidence: z
    .object({ graded_fails: z.int(), exchanges: z.int() })
    .describe('What it was shown: graded failures, and other exchanges of the segment.'),
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
  model: model.nullish().describe("Who thinks; the model of the workspace's newest judge when absent."),
})
export type SuggestCriteria = z.infer<typeof SuggestCriteria>

export const suggestCriteria = endpoint({
  method: 'post',
  path: '/v1/criteria/suggest',
  summary: 'Have judges suggested.',
  description:
    'A model reads graded failures and a sample of the segment, complaints of users among it, and says what to judge. Runs in the background. To take a suggestion up, create it with `"source": "assist_suggested"`.',
  service: 'judging',
  body: SuggestCriteria,
  reply: Suggestions,
  status: 202,
  requestHeaders: ['Idempotency-Key'],
  errors: ['idempotency_conflict', 'model_not_found', 'logging_disabled', 'unknown_parameter'],
})

export const getSuggestions = endpoint({
  method: 'get',
  path: '/v1/criteria/suggest/:suggestion_id',
  summary: 'Read suggested judges.',
  description: 'Empty until it is DONE.',
  service: 'judging',
  params: z.strictObject({ suggestion_id: z.string() }),
  reply: Suggestions,
  errors: ['not_found', 'unknown_parameter'],
})

const Metrics = z.object({
  rows: z.int(),
  tpr: rate.nullable(),
  tnr: rate.nullable(),
  tpr_ci: RateInterval.nullable(),
  tnr_ci: RateInterval.nullable(),
  n_unparseable: z.int(),
})

/** A better prompt for a judge, found on some of the grades and measured on the others. It changes nothing by itself. */
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
    .describe('Null while it runs, and when none was better than the present one.'),
  train_metrics: Metrics.nullable().describe('Of the proposed prompt on the grades that it was made from: flattering.'),
  holdout_metrics: Metrics.nullable().describe('Of the proposed prompt on grades that nobody tuned on.'),
  current_holdout_metrics: Metrics.nullable().describe('Of the present prompt on the same.'),
  diff: z.string().nullable().describe('Unified diff from the present prompt.'),
  cost_usd: z.number(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
})
export type Improvement = z.infer<typeof Improvement>

export const ImproveCriterion = z.strictObject({
  max_iterations: z.int().min(1).max(10).default(3),
  max_cost_usd: maxCostUsd.nullish(),
  model: model.nullish().describe("Who rewrites the prompt; the judge's own model when absent."),
})
export type ImproveCriterion = z.infer<typeof ImproveCriterion>

export const improveCriterion = endpoint({
  method: 'post',
  path: '/v1/criteria/:id/improve',
  summary: 'Look for a better prompt for a judge.',
  description:
    'Rewrites the prompt from mistakes on one half of the grades and measures the best one on the other half. To apply it, PATCH the judge, which voids its calibration.',
  service: 'judging',
  params: criterionParams,
  body: ImproveCriterion,
  reply: Improvement,
  status: 202,
  requestHeaders: ['Idempotency-Key'],
  errors: ['idempotency_conflict', 'not_found', 'precondition_failed', 'model_not_found', 'unknown_parameter'],
})

export const getImprovement = endpoint({
  method: 'get',
  path: '/v1/criteria/:id/improvements/:improvement_id',
  summary: 'Read an improvement.',
  description: 'With its progress while it runs.',
  service: 'judging',
  params: z.strictObject({ id: z.string(), improvement_id: z.string() }),
  reply: Improvement,
  errors: ['not_found', 'unknown_parameter'],
})
