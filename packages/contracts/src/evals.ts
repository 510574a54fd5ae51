import { z } from 'zod'
import { maxCostUsd, Trust } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { EvalReport } from './eval-report.ts'
import { pageFields, pageLimit } from './log-filters.ts'
import { wholeNumber } from './query-values.ts'
import { storable } from './storable.ts'

const word = storable(z.string().min(1).max(200))

/** Where the prompts come from. Nothing at all means all of the log. */
export const EvalFilters = z.strictObject({
  tag: word.optional(),
  segment: word.optional(),
  model: word.optional().describe('The model that answered.'),
  dataset_id: word.optional().describe('The examples of a dataset instead of the log; stands alone.'),
  trace_replay: z.boolean().optional().describe('Completed agent runs, whole; needs the baseline `logged`.'),
})
export type EvalFilters = z.infer<typeof EvalFilters>

const toolName = word.describe('A tool.')

/** What an answer can be held to without a judge. */
export const EvalAssertion = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('tool_called'), value: toolName }),
  z.strictObject({ type: z.literal('no_tool_call') }),
  z.strictObject({
    type: z.literal('args_match'),
    value: toolName,
    args: z.record(z.string(), z.unknown()).describe('Arguments that a call of the tool must have, others apart.'),
  }),
])
export type EvalAssertion = z.infer<typeof EvalAssertion>

export const rubricTypes = ['adherence', 'helpfulness', 'correctness', 'style', 'custom'] as const
export const RubricType = z.enum(rubricTypes)
export type RubricType = z.infer<typeof RubricType>

export const JudgingMode = z.enum(['direct_quality', 'match_reference'])
export type JudgingMode = z.infer<typeof JudgingMode>

/** The baseline that is the stored answers. */
export const loggedBaseline = 'logged'

/** Largest rubric, characters. */
const longestRubric = 32_768
const model = storable(z.string().min(1).max(200))

/** An eval as it is asked for; {@link estimateEval} takes the same. */
export const CreateEval = z.strictObject({
  name: storable(z.string().trim().min(1).max(200)),
  rubric: storable(z.string().trim().min(1).max(longestRubric)).nullish().describe('What makes an answer good.'),
  rubric_type: RubricType.default('adherence').describe('`custom` gives the judge nothing but the rubric.'),
  baseline_model: model.describe('The model of today; `logged` for the stored answers of agent runs.'),
  candidate_models: z.array(model).min(1).max(3),
  sample_count: z.int().min(5).max(500).default(100).describe('Prompts; steps, of agent runs.'),
  sample_filters: EvalFilters.default({}),
  judging_mode: JudgingMode.default('direct_quality'),
  reference: z
    .enum(['logged_reply', 'dataset'])
    .nullish()
    .describe('Which stored answer `match_reference` compares with; the one that the prompts have.'),
  judge_model: model.nullish().describe('This or `criterion_id`.'),
  criterion_id: word.nullish().describe('A judge whose model and prompt decide; its trust is recorded.'),
  assertions: z.array(EvalAssertion).max(10).default([]),
  params: z
    .strictObject({
      temperature: z.number().min(0).max(2).optional(),
      max_tokens: z.int().min(1).max(1_000_000).optional(),
    })
    .default({})
    .describe('Of every answer that is asked for.'),
  seed: z.int().default(0).describe('Decides which prompts.'),
  max_cost_usd: maxCostUsd.nullish().describe('Spends no more, judging included.'),
  repetitions: z.int().min(1).max(5).default(1).describe('How often each prompt is answered.'),
  webhook_url: storable(z.string().min(1).max(500))
    .nullish()
    .describe('Told by a POST that names the eval and its status, once it is over; https, and a public address.'),
})
export type CreateEval = z.infer<typeof CreateEval>

export const EvalStatus = z.enum(['PENDING', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED'])
export type EvalStatus = z.infer<typeof EvalStatus>

const usd = z.number().min(0)

export const Eval = z.object({
  object: z.literal('eval'),
  id: z.string(),
  name: z.string(),
  status: EvalStatus,
  progress: z.object({ done: z.int(), total: z.int() }).describe('Samples.'),
  error: z.string().nullable(),
  waiting_for: z.string().nullable().describe('Why samples wait at present, such as for credit; null when none does.'),
  rubric: z.string().nullable().describe('Of a criterion, its prompt as it was when the eval began.'),
  rubric_type: RubricType,
  baseline_model: z.string(),
  candidate_models: z.array(z.string()),
  sample_count: z.int(),
  sample_filters: EvalFilters,
  judging_mode: JudgingMode,
  reference: z.enum(['logged_reply', 'dataset']).nullable(),
  judge_model: z.string(),
  criterion_id: z.string().nullable(),
  judge_trust: Trust.nullable().describe('Of the criterion, when the eval began.'),
  assertions: z.array(EvalAssertion),
  params: z.object({ temperature: z.number().optional(), max_tokens: z.int().optional() }),
  seed: z.int(),
  max_cost_usd: z.number().nullable(),
  repetitions: z.int(),
  webhook_url: z.string().nullable(),
  webhook: z
    .object({
      url: z.string(),
      attempts: z.int(),
      delivered_at: z.iso.datetime().nullable(),
      error: z.string().nullable().describe('Of the last attempt.'),
    })
    .nullable(),
  report: EvalReport.nullable().describe('Null until it ends; of the samples that were done where it ends early.'),
  cost_usd: usd.describe('Of the answers.'),
  judge_cost_usd: usd,
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
})
export type Eval = z.infer<typeof Eval>

const service = 'eval'
const params = z.strictObject({ id: z.string() })

export const createEval = endpoint({
  method: 'post',
  path: '/v1/evals',
  summary: 'Compare models on real prompts.',
  description:
    'Every model answers the same prompts anew, and a judge sees each pair twice, swapped. Runs in the background: read it until it is DONE. Needs request logging, five distinct prompts and a wallet that covers what it is estimated to cost.',
  service,
  body: CreateEval,
  reply: Eval,
  requestHeaders: ['Idempotency-Key'],
  errors: [
    'unknown_parameter',
    'idempotency_conflict',
    'logging_disabled',
    'not_found',
    'model_not_found',
    'unknown_provider',
    'insufficient_balance',
  ],
})

export const EvalEstimate = z.object({
  object: z.literal('eval.estimate'),
  estimated_cost_usd: usd.describe('Of the answers, at list prices and with lengths like those of the log.'),
  judge_cost_usd: usd,
  eligible_prompts: z.int().describe('Exchanges, examples or steps that the filters leave.'),
  distinct_prompts: z.int().describe('Distinct ones among those that were looked at.'),
  sample_count: z.int().describe('Prompts that it would take.'),
})
export type EvalEstimate = z.infer<typeof EvalEstimate>

export const estimateEval = endpoint({
  method: 'post',
  path: '/v1/evals/estimate',
  summary: 'Say what an eval would cost.',
  description: 'Takes the body of an eval and starts nothing.',
  service,
  body: CreateEval,
  reply: EvalEstimate,
  errors: ['unknown_parameter', 'logging_disabled', 'not_found', 'model_not_found', 'unknown_provider'],
})

const page = { limit: pageLimit, offset: wholeNumber({ min: 0, max: 10_000 }).default(0) }

export const listEvals = endpoint({
  method: 'get',
  path: '/v1/evals',
  summary: 'List evals.',
  description: 'The newest first.',
  service,
  query: z.strictObject({
    status: EvalStatus.optional(),
    baseline_model: word.optional(),
    candidate_model: word.optional(),
    ...page,
  }),
  reply: z.object({ object: z.literal('list'), data: z.array(Eval), ...pageFields }),
  errors: ['unknown_parameter'],
})

export const getEval = endpoint({
  method: 'get',
  path: '/v1/evals/:id',
  summary: 'Read an eval.',
  description: 'With its progress while it runs and its report when it is over.',
  service,
  params,
  reply: Eval,
  errors: ['not_found', 'unknown_parameter'],
})

export const cancelEval = endpoint({
  method: 'post',
  path: '/v1/evals/:id/cancel',
  summary: 'Cancel an eval.',
  description: 'No further sample is begun. What was billed stays billed, and is reported.',
  service,
  params,
  reply: Eval,
  errors: ['not_found', 'conflict', 'unknown_parameter'],
})

const Message = z.looseObject({ role: z.string() })

/** What a model answered to a prompt, as it is shown to judges. */
export const EvalAnswer = z.object({
  model: z.string(),
  text: z.string().nullable().describe('Without thoughts; null where there is none, or it was forgotten.'),
  tool_calls: z.array(z.unknown()).nullable(),
  error: z.string().nullable().describe('Why there is no answer.'),
  cost_usd: usd.nullable().describe('Null for a stored answer whose cost nobody knows.'),
  latency_ms: z.number().nullable(),
})
export type EvalAnswer = z.infer<typeof EvalAnswer>

export const EvalOutcome = z.enum(['win', 'loss', 'tie', 'error'])
export type EvalOutcome = z.infer<typeof EvalOutcome>

/** One look at a pair: which of the two the judge preferred. */
export const EvalOrder = z.object({
  candidate: z.string(),
  first: z.string().describe('The model whose answer was shown first.'),
  second: z.string(),
  winner: z.string().nullable().describe('The model; `tie`; null without a verdict.'),
  explanation: z.string().nullable(),
})
export type EvalOrder = z.infer<typeof EvalOrder>

export const EvalSample = z.object({
  object: z.literal('eval.sample'),
  id: z.string(),
  prompt: z.object({ messages: z.array(Message), tools: z.array(z.unknown()).nullable() }).nullable(),
  repetition: z.int().describe('From 0.'),
  baseline: EvalAnswer.nullable(),
  candidates: z.record(z.string(), EvalAnswer),
  orders: z.array(EvalOrder),
  outcome: EvalOutcome.nullable().describe('Of the only candidate, or of the one that was asked for.'),
  outcomes: z.record(z.string(), EvalOutcome),
  assertions: z.record(z.string(), z.record(z.string(), z.boolean())).describe('By model, then by assertion.'),
  reference: z.string().nullable(),
  error: z.string().nullable().describe('Why the sample could not be done at all.'),
  log_id: z.string().nullable(),
  trace_id: z.string().nullable(),
  step_index: z.int().nullable(),
})
export type EvalSample = z.infer<typeof EvalSample>

export const listEvalSamples = endpoint({
  method: 'get',
  path: '/v1/evals/:id/samples',
  summary: 'Read the samples of an eval.',
  description:
    'Those that are done: what was asked, what each model answered, what the judge said in each order. What came from log entries that are gone is gone here too, within the hour.',
  service,
  params,
  query: z.strictObject({
    candidate: word.describe('Whose `outcome` is meant.').optional(),
    outcome: EvalOutcome.optional(),
    ...page,
  }),
  reply: z.object({ object: z.literal('list'), data: z.array(EvalSample), ...pageFields }),
  errors: ['not_found', 'unknown_parameter'],
})
