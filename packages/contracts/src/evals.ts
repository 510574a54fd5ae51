import { z } from 'zod'
import { noToolCallFields, toolArguments } from './answer-checks.ts'
import { ChatMessage } from './chat-message.ts'
import { maxCostUsd } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { evidenceField } from './eval-evidence.ts'
import { judgeFields } from './eval-judge.ts'
import { EvalQuestion, interimField, questionFields } from './eval-question.ts'
import { EvalReport } from './eval-report.ts'
import { pageLimit, pageOf } from './page.ts'
import { flag, wholeNumber } from './query-values.ts'
import { storable } from './storable.ts'

const word = storable(z.string().min(1).max(200))

/** The origin of the prompts. Without a filter it is the whole log. */
export const EvalFilters = z.strictObject({
  tag: word.optional(),
  segment: word.optional(),
  model: word.optional().describe('The model that answered.'),
  dataset_id: word
    .optional()
    .describe('Uses the examples of a dataset instead of the log. Cannot be combined with other filters.'),
  trace_replay: z
    .boolean()
    .optional()
    .describe(
      'Uses complete agent runs: each step is a sample, with the recorded history up to it. With a criterion that judges runs, only the last answer of each run is one. Requires the baseline `logged`.',
    ),
})
export type EvalFilters = z.infer<typeof EvalFilters>

const toolName = word.describe('The name of a tool.')

export const ToolCalled = z.strictObject({ type: z.literal('tool_called'), value: toolName })
export const NoToolCall = z.strictObject(noToolCallFields)
export const ArgumentsMatch = z.strictObject({
  type: z.literal('args_match'),
  value: toolName,
  args: toolArguments,
})

/** A check of an answer that needs no judge. */
export const EvalAssertion = z.discriminatedUnion('type', [ToolCalled, NoToolCall, ArgumentsMatch])
export type EvalAssertion = z.infer<typeof EvalAssertion>

export const rubricTypes = ['adherence', 'helpfulness', 'correctness', 'style', 'custom'] as const
export const RubricType = z.enum(rubricTypes)
export type RubricType = z.infer<typeof RubricType>

export const JudgingMode = z.enum(['direct_quality', 'match_reference'])
export type JudgingMode = z.infer<typeof JudgingMode>

export const loggedBaseline = 'logged'

const maxRubricLength = 32_768
const model = storable(z.string().min(1).max(200))

/** The body that creates an eval; the one that estimates it has the same fields. */
export const CreateEval = z.strictObject({
  name: storable(z.string().trim().min(1).max(200)),
  rubric: storable(z.string().trim().min(1).max(maxRubricLength))
    .nullish()
    .describe('The description of a good answer.'),
  rubric_type: RubricType.default('adherence').describe('With `custom` the judge gets only the rubric.'),
  baseline_model: model.describe('The current model, or `logged` for the stored answers of agent runs.'),
  candidate_models: z.array(model).min(1).max(3),
  sample_count: z
    .int()
    .min(5)
    .max(500)
    .default(100)
    .describe('Number of prompts; with `trace_replay` of steps, or of runs for a criterion that judges runs.'),
  sample_filters: EvalFilters.default({}),
  judging_mode: JudgingMode.default('direct_quality'),
  reference: z
    .enum(['logged_reply', 'dataset'])
    .nullish()
    .describe('The stored answer that `match_reference` compares with: the one of the prompt.'),
  judge_model: model.nullish().describe('This, `judge_models` or `criterion_id` is required.'),
  judge_models: z
    .array(model)
    .min(2)
    .max(3)
    .nullish()
    .describe('A panel: the outcome is that of more than half of these judges, otherwise a tie.'),
  criterion_id: word
    .nullish()
    .describe(
      'A judge whose model and prompt are used. Its trust is recorded. One that judges runs requires `trace_replay`.',
    ),
  assertions: z.array(EvalAssertion).max(10).default([]),
  params: z
    .strictObject({
      temperature: z.number().min(0).max(2).optional(),
      max_tokens: z.int().min(1).max(1_000_000).optional(),
    })
    .default({})
    .describe('Parameters of every request to a model.'),
  seed: z.int().default(0).describe('Decides which prompts are selected.'),
  max_cost_usd: maxCostUsd.nullish().describe('Maximum cost, including the judge.'),
  repetitions: z.int().min(1).max(5).default(1).describe('Number of answers per prompt and model.'),
  ...questionFields,
  webhook_url: storable(z.string().min(1).max(500))
    .nullish()
    .describe('Address that gets a POST with the id and status of the eval when it ends; https, and a public address.'),
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
  progress: z.object({ done: z.int(), total: z.int() }).describe('Number of samples.'),
  error: z.string().nullable(),
  waiting_for: z
    .string()
    .nullable()
    .describe('Why samples wait at present, for example for credit; null when none waits.'),
  rubric: z.string().nullable().describe('The rubric, or the prompt of the criterion when the eval began.'),
  rubric_type: RubricType,
  baseline_model: z.string(),
  candidate_models: z.array(z.string()),
  sample_count: z.int(),
  sample_filters: EvalFilters,
  judging_mode: JudgingMode,
  reference: z.enum(['logged_reply', 'dataset']).nullable(),
  ...judgeFields,
  assertions: z.array(EvalAssertion),
  params: z.object({ temperature: z.number().optional(), max_tokens: z.int().optional() }),
  seed: z.int(),
  max_cost_usd: z.number().nullable(),
  repetitions: z.int(),
  question: EvalQuestion.default('better'),
  margin: z.number().nullable().default(null),
  stop_when: z.literal('conclusive').nullable().default(null),
  webhook_url: z.string().nullable(),
  webhook: z
    .object({
      url: z.string(),
      attempts: z.int(),
      delivered_at: z.iso.datetime().nullable(),
      error: z.string().nullable().describe('Error of the last attempt.'),
    })
    .nullable(),
  report: EvalReport.nullable().describe(
    'Null until the eval ends. If it ends early, the report covers the finished samples.',
  ),
  ...interimField,
  ...evidenceField,
  cost_usd: usd.describe('Cost of the answers.'),
  judge_cost_usd: usd,
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
})
export type Eval = z.infer<typeof Eval>

const service = 'eval'
const forTraining = { service, callers: ['training'] } as const
const forData = { service, callers: ['training', 'logging'] } as const
const params = z.strictObject({ id: z.string() })

export const createEval = endpoint({
  method: 'post',
  path: '/v1/evals',
  summary: 'Create an eval.',
  description:
    'Every model answers the same prompts, and a judge compares each pair twice with the order swapped. Runs in the background: read the eval until its status is DONE. Requires request logging, five distinct prompts and a wallet that covers the estimated cost. A judge that may act is checked for drift for 30 days after the last such eval, with about 105 judgements a week, whose cost the `online_cap_usd` of its criterion limits; by default that is unlimited.',
  ...forTraining,
  permission: 'owner_admin',
  guard: true,
  body: CreateEval,
  reply: Eval,
  requestHeaders: ['Idempotency-Key', 'Prefer'],
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

const page = { limit: pageLimit, offset: wholeNumber({ min: 0, max: 10_000 }).default(0) }

export const listEvals = endpoint({
  method: 'get',
  path: '/v1/evals',
  summary: 'List evals.',
  description: 'Newest first.',
  ...forTraining,
  permission: 'any',
  query: z.strictObject({
    status: EvalStatus.optional(),
    baseline_model: word.optional(),
    candidate_model: word.optional(),
    ...page,
  }),
  reply: pageOf(Eval),
  errors: ['unknown_parameter'],
})

export const getEval = endpoint({
  method: 'get',
  path: '/v1/evals/:id',
  summary: 'Read an eval.',
  description: 'Includes its progress while it runs, and its report when it has ended.',
  ...forData,
  permission: 'any',
  params,
  reply: Eval,
  requestHeaders: ['Prefer'],
  errors: ['not_found', 'unknown_parameter'],
})

export const cancelEval = endpoint({
  method: 'post',
  path: '/v1/evals/:id/cancel',
  summary: 'Cancel an eval.',
  description: 'No further sample is started. Costs so far remain charged and are reported.',
  service,
  permission: 'owner_admin',
  params,
  reply: Eval,
  errors: ['not_found', 'conflict', 'unknown_parameter'],
})

/** The answer of a model to a prompt, as judges get it. */
export const EvalAnswer = z.object({
  model: z.string(),
  text: z.string().nullable().describe('The answer without reasoning; null when there is none or it was deleted.'),
  tool_calls: z.array(z.unknown()).nullable(),
  error: z.string().nullable().describe('Why there is no answer.'),
  cost_usd: usd.nullable().describe('Null for a stored answer of unknown cost.'),
  latency_ms: z.number().nullable(),
})
export type EvalAnswer = z.infer<typeof EvalAnswer>

export const EvalOutcome = z.enum(['win', 'loss', 'tie', 'error'])
export type EvalOutcome = z.infer<typeof EvalOutcome>

/** One pairwise verdict, with the answers in one order. */
export const EvalOrder = z.object({
  judge: z.string().default('').describe('The model that judged.'),
  candidate: z.string(),
  first: z.string().describe('The model whose answer was shown first.'),
  second: z.string(),
  winner: z.string().nullable().describe('The preferred model, or `tie`; null without a verdict.'),
  explanation: z.string().nullable(),
})
export type EvalOrder = z.infer<typeof EvalOrder>

export const EvalSample = z.object({
  object: z.literal('eval.sample'),
  id: z.string(),
  prompt: z.object({ messages: z.array(ChatMessage), tools: z.array(z.unknown()).nullable() }).nullable(),
  repetition: z.int().describe('Index of the repetition, from 0.'),
  baseline: EvalAnswer.nullable(),
  candidates: z.record(z.string(), EvalAnswer),
  orders: z.array(EvalOrder),
  outcome: EvalOutcome.nullable().describe('Outcome for the only candidate, or for the requested one.'),
  outcomes: z.record(z.string(), EvalOutcome),
  disputed: z.boolean().default(false).describe('True when the judges of a panel differ about a candidate.'),
  assertions: z.record(z.string(), z.record(z.string(), z.boolean())).describe('By model, then by assertion.'),
  reference: z.string().nullable(),
  error: z.string().nullable().describe('Why the sample could not be evaluated.'),
  log_id: z.string().nullable(),
  trace_id: z.string().nullable(),
  step_index: z.int().nullable(),
})
export type EvalSample = z.infer<typeof EvalSample>

export const listEvalSamples = endpoint({
  method: 'get',
  path: '/v1/evals/:id/samples',
  summary: 'List the samples of an eval.',
  description:
    'The finished samples with their prompt, the answer of each model and the verdict for each order. Content from log entries that were deleted is deleted here too, within an hour.',
  ...forData,
  permission: 'any',
  params,
  query: z.strictObject({
    candidate: word.describe('The candidate to which `outcome` refers.').optional(),
    outcome: EvalOutcome.optional(),
    disputed: flag.describe('Only samples about which the judges of a panel differ, or do not.').optional(),
    inconsistent: flag.describe('Only samples in which a judge changed its mind with the order, or not.').optional(),
    ...page,
  }),
  reply: pageOf(EvalSample),
  errors: ['not_found', 'unknown_parameter'],
})
