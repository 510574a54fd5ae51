import { z } from 'zod'
import { ChatMessage } from './chat-message.ts'
import { RateInterval, Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { GuardVerdict, ofGrpoRun } from './grpo.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'
import { wholeNumber } from './query-values.ts'

const share = z.number().min(0).max(1)
const count = z.int().min(0)
const figure = z.number().nullable()
const step = wholeNumber({ min: 0, max: 10_000 })

/** What a step should make people look at. Nothing stops for it. */
export const StepAlarm = z.enum(['length_drift', 'entropy_collapse', 'one_term', 'duplicates'])
export type StepAlarm = z.infer<typeof StepAlarm>

/** The figures of a step that was rewarded. Those of the trainer are null before it has trained. */
export const GrpoStep = z.object({
  step: z.int(),
  at: z.iso.datetime(),
  state: z.enum(['rewarded', 'trained', 'durable']).describe('`durable`: a checkpoint contains it, and it is charged.'),
  replayed: z
    .boolean()
    .describe(
      'Whether an attempt trained on it again, because the one before was lost. It was sampled and judged once.',
    ),
  reward_mean: share,
  reward_ci: RateInterval.describe('95 % interval of the mean, by prompts.'),
  reward_std: z.number().describe('Of all answers.'),
  zero_variance_groups: count.describe(
    'Groups that were not trained on, because all their answers have the same reward.',
  ),
  resampled_groups: count,
  kl: figure,
  entropy: figure,
  clip_ratio: figure,
  completion_length_mean: z.number().describe('Sampled tokens of an answer.'),
  truncated_ratio: share,
  tool_calls_per_rollout: figure.describe('Calls of tools in an answer. Null without an environment.'),
  tool_failure_ratio: figure.describe('Share of the calls that the tool failed. Null without calls.'),
  logprob_gap_mean: figure,
  logprob_gap_max: figure,
  adapter_version: z.int().describe('Lowest of its answers: the step whose policy was sampled.'),
  sampled_tokens: count,
  trained_tokens: count.nullable(),
  judge_cost_usd: z.number().min(0),
  terms: z.record(z.string(), share.nullable()).describe('Mean of each term.'),
  duplicate_ratio: share.nullable().describe('Share of answers that are the same as another one to their prompt.'),
  top_term: z
    .object({ name: z.string(), share })
    .nullable()
    .describe('The term with most of the variance among answers to one prompt. Null with one term, or no variance.'),
  alarms: z
    .array(StepAlarm)
    .describe(
      'Nothing stops for them. `length_drift`: answers are over twice or under half as long as at step 1; `entropy_collapse`: under a third of its entropy; `one_term`: `top_term` has over 90 %; `duplicates`: over 30 %.',
    ),
})
export type GrpoStep = z.infer<typeof GrpoStep>

export const GrpoVerdict = z.object({
  criterion_id: z.string(),
  judge_model: z.string(),
  role: z.enum(['reward', 'holdout']),
  verdict: Verdict.nullable().describe('Null when the judge gave none.'),
  explanation: z.string().nullable(),
})

export const GrpoRolloutView = z.object({
  object: z.literal('grpo.rollout'),
  id: z.string(),
  kind: z.enum(['step', 'look']),
  step: z.int(),
  group: z.int(),
  prompt_index: z.int(),
  messages: z.array(ChatMessage),
  completion: z.array(ChatMessage),
  reward: share.nullable().describe('Null before it is judged.'),
  terms: z.record(z.string(), share.nullable()),
  verdicts: z.array(GrpoVerdict),
  advantage: z.number().nullable(),
  tokens: count.describe('Tokens that the policy sampled.'),
  truncated: z.boolean(),
  adapter_version: z.int(),
  replayed: z.boolean().describe('As its step.'),
})
export type GrpoRolloutView = z.infer<typeof GrpoRolloutView>

const rate = z.object({ rate: share, ci: RateInterval })

/** A look at prompts that are never trained on. */
export const GrpoLook = z.object({
  step: z.int(),
  at: z.iso.datetime(),
  reward_mean: share,
  train_judge: rate.describe('Share of answers that pass by the reward, corrected for errors of the judges.'),
  holdout_judge: rate.nullable().describe('The same by the judge that rewards nothing. Null without one.'),
  gap: z
    .object({
      estimate: z.number().describe('Gain since the first look that only the reward sees.'),
      lower: z.number().describe('Its lower bound, valid over all planned looks. Above the margin it is diverging.'),
    })
    .nullable(),
  holdout_gain: z
    .object({ estimate: z.number(), upper: z.number().describe('Below 0 the run has regressed.') })
    .nullable(),
  human: z
    .object({ graded: count, false_pass: count, upper: share.describe('One-sided 95 % bound of false passes.') })
    .nullable()
    .describe('Grades of the audit of this step; null without any.'),
  verdict: GuardVerdict,
})
export type GrpoLook = z.infer<typeof GrpoLook>

export const GrpoGuard = z.object({
  object: z.literal('grpo.guard'),
  run_id: z.string(),
  verdict: GuardVerdict,
  action: z.enum(['pause', 'stop', 'none']),
  margin: z.number(),
  planned_looks: count,
  prompts: count,
  samples_per_prompt: count,
  best_step: count.nullable(),
  looks: z.array(GrpoLook),
})
export type GrpoGuard = z.infer<typeof GrpoGuard>

export const GrpoAudit = z.object({
  object: z.literal('list'),
  run_id: z.string(),
  step: z.int(),
  graded: count,
  false_pass: count.describe('Graded answers that failed although the reward liked them.'),
  upper: share.nullable().describe('One-sided 95 % bound of the rate of false passes; null without grades.'),
  data: z.array(
    z.object({
      rollout_id: z.string(),
      messages: z.array(ChatMessage),
      completion: z.array(ChatMessage),
      grade: Verdict.nullable().describe("The caller's own grade; null without one."),
    }),
  ),
})
export type GrpoAudit = z.infer<typeof GrpoAudit>

const read = { ...ofGrpoRun, method: 'get', errors: ['unknown_parameter', 'not_found'] } as const

export const listGrpoSteps = endpoint({
  ...read,
  path: '/v1/grpo/runs/:id/steps',
  summary: 'Read the steps of a GRPO run.',
  description: 'Ascending, thinned to the lowest and highest mean reward of each stretch when there are more.',
  query: z.strictObject({ from_step: step.default(0), points: wholeNumber({ min: 2, max: 2_000 }).default(500) }),
  reply: z.object({ object: z.literal('list'), data: z.array(GrpoStep) }),
})

export const listGrpoRollouts = endpoint({
  ...read,
  path: '/v1/grpo/runs/:id/rollouts',
  summary: 'List answers of a GRPO run.',
  description:
    'Those of a step, of a look, or of all steps. `disagreement`: those first that the reward judges pass and the hold-out judge fails. A page ends before `limit` when its texts have 8 MB: go on after the last answer.',
  query: z.strictObject({
    kind: z.enum(['step', 'look']).default('step'),
    step: step.optional(),
    sort: z.enum(['step', 'reward', '-reward', 'disagreement']).default('step'),
    limit: pageLimit,
    offset: pageOffset,
  }),
  reply: pageOf(GrpoRolloutView),
})

export const getGrpoGuard = endpoint({
  ...read,
  path: '/v1/grpo/runs/:id/guard',
  summary: 'Read the guard of a GRPO run.',
  description:
    'Compares what the reward gained with what a judge gained that rewards nothing, on prompts that are held out.',
  reply: GrpoGuard,
})

export const getGrpoAudit = endpoint({
  ...read,
  path: '/v1/grpo/runs/:id/audit',
  summary: 'Read the answers of a GRPO run that people should grade.',
  description:
    'The answers of a look that the reward likes best, at most one per prompt, without any verdict. They are graded with `POST /v1/labels` and their `rollout_id`.',
  query: z.strictObject({ step: step.optional().describe('Of a look; by default the best one.') }),
  reply: GrpoAudit,
})
