import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { EvalQuestion } from './eval-question.ts'
import { CreateEval } from './evals.ts'

const usd = z.number().min(0)
const count = z.int().min(0)
const rate = z.number().min(0).max(1)

/** What the author of an eval expects, for planning. */
export const ExpectedResult = z.strictObject({
  win_rate: rate
    .optional()
    .describe('Expected win rate; by default 0.6, or 0.5 when the question is `not_worse`. Ties count half.'),
  tie_rate: z.number().min(0).max(0.95).default(0.3).describe('Expected share of ties.'),
})

/** The body of an eval, with what its author expects. */
export const PlanEval = CreateEval.extend({
  expected: ExpectedResult.default({ tie_rate: 0.3 }).describe('What you expect; used only to plan.'),
})
export type PlanEval = z.infer<typeof PlanEval>

/** What an eval takes before it can answer its question. */
export const EvalPlan = z.object({
  question: EvalQuestion,
  margin: z.number().nullable(),
  expected_win_rate: rate,
  expected_tie_rate: rate,
  samples_needed: count
    .nullable()
    .describe('Judged samples that answer the question with 80 % probability; null when no number does.'),
  samples_needed_sequential: count
    .nullable()
    .describe('Samples after which `stop_when: conclusive` stops if the expectation is exactly met.'),
  answered_by_this_eval: z
    .boolean()
    .nullable()
    .describe('Whether the samples of this eval are enough for it; null when no number is.'),
  model_calls: count.describe('Calls for answers in this eval.'),
  judge_calls: count.describe('At most: identical answers need none.'),
  cost_usd: usd.describe('Cost of this eval with its judging.'),
  cost_usd_needed: usd.nullable().describe('Cost of `samples_needed`.'),
  minutes: z
    .number()
    .min(0)
    .nullable()
    .describe('From the latencies of the last week in the log, 16 samples at a time; null without any.'),
  minutes_needed: z.number().min(0).nullable(),
})
export type EvalPlan = z.infer<typeof EvalPlan>

export const EvalEstimate = z.object({
  object: z.literal('eval.estimate'),
  estimated_cost_usd: usd.describe('Cost of the answers at list prices, with lengths like those in the log.'),
  judge_cost_usd: usd,
  longest_call_usd: usd.describe(
    'The most that one call for an answer can cost. A call starts only while `max_cost_usd` leaves that much, so set it this far above the estimate, or set `max_tokens`.',
  ),
  eligible_prompts: z.int().describe('Number of exchanges, examples or steps that match the filters.'),
  distinct_prompts: z.int().describe('Number of distinct prompts among those that were examined.'),
  sample_count: z.int().describe('Number of prompts that the eval would use.'),
  plan: EvalPlan,
})
export type EvalEstimate = z.infer<typeof EvalEstimate>

export const estimateEval = endpoint({
  method: 'post',
  path: '/v1/evals/estimate',
  summary: 'Estimate what an eval takes.',
  description:
    'Takes the body of an eval, with what you expect of it, and starts nothing: cost, time, and the samples that the question needs.',
  service: 'eval',
  permission: 'any',
  body: PlanEval,
  reply: EvalEstimate,
  errors: ['unknown_parameter', 'logging_disabled', 'not_found', 'model_not_found', 'unknown_provider'],
})
