import { z } from 'zod'
import { mebibyte } from './byte-sizes.ts'
import { ChatMessage } from './chat-message.ts'
import { wholeNumber } from './query-values.ts'
import type { TrainerCall } from './trainer-protocol.ts'
import { trainerProtocolVersion } from './trainer-spec.ts'

/**
 * Steps of a GRPO run, between a trainer and the service `training`. They are calls of the trainer protocol
 * (`trainer-protocol.ts`): the same token, errors and repetitions. The `spec` of a run has the `kind` `grpo`.
 *
 * A *step* is sampled with the policy of the step before it, rewarded by the fleet, and trained on. A *look* is sampled from
 * prompts that are never trained on, with the policy after the step of its number; 0 is before training. What was sampled is
 * kept: whoever comes next reads it instead of sampling again. One attempt, beginning after `resume.step` or at look 0:
 *
 * ```
 * with resume: load its files; sample look resume.step, if `GET /looks/{resume.step}` asks for answers
 * without: sample look 0
 * for k = first step …
 *   GET /steps/{k}?wait=20         until `state` is not `wait`; `stop`: obey the heartbeat's command; `finish`: report the result
 *   while `state` is `sample`      POST /steps/{k}/rollouts for every missing answer of `groups`,
 *                                  then GET /steps/{k}/rewards?wait=20 until `state` is not `judging`
 *   `rewarded`                     GET /steps/{k} for the answers that this attempt did not sample itself;
 *                                  train on the groups that are `used`, with the advantages of the answer
 *   POST /steps/{k}/trained        → `save`: store a checkpoint of step k; `look`: sample look k; `finish`: report the result
 * ```
 *
 * A step that was trained by an earlier attempt, after its last durable checkpoint, is *replayed*: its answers and rewards
 * come back as they were, and the stored logprobs are those to weight with.
 */

/** Samples of the look at each of its prompts. */
export const lookSamples = 4

/** Longest answer in tokens, and most turns of one answer with tools. */
export const maxRolloutTokens = 32_768
export const maxRolloutMessages = 64

/** One answer of the policy. */
export const GrpoRollout = z.strictObject({
  group: z.int().min(0).describe('Number of its group, see `groups`.'),
  index: z.int().min(0).max(63).describe('Number of the answer in its group.'),
  completion: z
    .array(ChatMessage)
    .min(1)
    .max(maxRolloutMessages)
    .describe('What followed the prompt: messages of the assistant and of tools; the last one is of the assistant.'),
  token_ids: z
    .array(z.int().min(0))
    .max(maxRolloutTokens)
    .describe('Tokens after the prompt, those of tools too. May be empty in a look.'),
  logprobs: z
    .array(z.number())
    .max(maxRolloutTokens)
    .describe('Natural logarithms, one per token, of the engine that sampled. 0 for tokens of tools.'),
  token_mask: z
    .array(z.union([z.literal(0), z.literal(1)]))
    .max(maxRolloutTokens)
    .nullable()
    .default(null)
    .describe('1 for tokens that the policy sampled, 0 for those of tools. Null: it sampled all.'),
  sampled_tokens: z.int().min(0).max(maxRolloutTokens).describe('Tokens that the policy sampled.'),
  truncated: z.boolean().describe('Whether the answer ended because it had `max_output_tokens`.'),
  entropy: z.number().min(0).nullable().default(null).describe('Mean entropy of its tokens, nats.'),
  adapter_version: z
    .int()
    .min(0)
    .describe(
      "Steps that the adapter of the engine had been trained for, by the engine's own answer. The policy of step k is k − 1.",
    ),
})
export type GrpoRollout = z.infer<typeof GrpoRollout>

/** What is to be answered. */
export const GrpoGroup = z.object({
  group: z.int(),
  prompt_index: z.int().describe('Of the prompt, among those of the run.'),
  messages: z.array(ChatMessage),
  tools: z.array(z.looseObject({})).nullable(),
  samples: z.int().describe('Answers that the group needs. Their indexes begin at 0.'),
})
export type GrpoGroup = z.infer<typeof GrpoGroup>

export const GrpoReward = z.object({
  group: z.int(),
  index: z.int(),
  reward: z.number().min(0).max(1),
  advantage: z
    .number()
    .describe("Of the group, by the run's loss: minus its mean, and divided by its deviation but for `dr_grpo`."),
  used: z.boolean().describe('False: its group has no variance and is not trained on.'),
})
export type GrpoReward = z.infer<typeof GrpoReward>

/**
 * `wait`: the step before, or the look at it, is not judged yet. `sample`: answers are missing. `judging`: all are there.
 * `rewarded`: trained on next. `stop`: the run goes no further now; the next heartbeat says why. `finish`: the run ends with the last
 * trained step: store a checkpoint of it, unless there is one, and report the result.
 */
export const grpoStepStates = ['wait', 'sample', 'judging', 'rewarded', 'stop', 'finish'] as const

export const GrpoStepState = z.object({
  step: z.int(),
  state: z.enum(grpoStepStates),
  groups: z.array(GrpoGroup).describe('All groups of the step until now. Empty while it waits.'),
  rollouts: z.array(GrpoRollout).describe('Answers that are stored, of this attempt or an earlier one.'),
  replayed: z.boolean().describe('Whether the step was trained by an earlier attempt.'),
})
export type GrpoStepState = z.infer<typeof GrpoStepState>

const Wait = z.strictObject({
  wait: wholeNumber({ min: 0, max: 60 }).default(0).describe('Seconds to wait for another state.'),
})
const NoQuery = z.strictObject({})
const NoBody = z.strictObject({})

/** Answers of one call. A step may be sent in several calls. An answer that is stored already stays as it is. */
export const maxRolloutsPerCall = 256
const Rollouts = z.strictObject({ rollouts: z.array(GrpoRollout).min(1).max(maxRolloutsPerCall) })
const Stored = z.object({
  stored: z.int().describe('Answers of the step that are stored.'),
  missing: z.int().describe('Answers that its groups still need. The fleet judges when it is 0.'),
})

const stat = z.number().nullable().default(null)
const Trained = z.strictObject({
  trained_tokens: z.int().min(0).describe('Tokens that the step trained on. Charged; at most those of its answers.'),
  stats: z.strictObject({
    loss: stat,
    kl: stat.describe('Mean divergence from the start, nats per token.'),
    entropy: stat.describe('Mean entropy of sampled tokens, nats.'),
    clip_ratio: stat,
    grad_norm: stat,
    logprob_gap_mean: stat.describe("Mean |Δ| of the trainer's logprobs and the engine's, of sampled tokens."),
    logprob_gap_max: stat,
  }),
})

/** A call whose path has the number of a step in place of `:step`. */
export interface GrpoCall<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> extends TrainerCall<Body, Reply> {
  readonly query: Query
}

const prefix = `/internal/trainer/v${trainerProtocolVersion}`
/** The largest that a service takes at a time; a call that has more is sent in parts. */
export const maxRolloutBytes = 16 * mebibyte
const stateOf = (path: string) =>
  ({ method: 'get', path, maxBodyBytes: 0, query: Wait, body: NoBody, reply: GrpoStepState }) as const
const rolloutsOf = (path: string) =>
  ({ method: 'post', path, maxBodyBytes: maxRolloutBytes, query: NoQuery, body: Rollouts, reply: Stored }) as const

export const grpoCalls = {
  step: stateOf(`${prefix}/steps/:step`),
  rollouts: rolloutsOf(`${prefix}/steps/:step/rollouts`),
  rewards: {
    method: 'get',
    path: `${prefix}/steps/:step/rewards`,
    maxBodyBytes: 0,
    query: Wait,
    body: NoBody,
    reply: z.object({
      step: z.int(),
      state: z
        .enum(['sample', 'judging', 'rewarded', 'stop', 'finish'])
        .describe('`sample`: groups without variance are replaced: GET the step, and sample what it misses.'),
      rewards: z.array(GrpoReward).describe('Of all answers of the step. Empty unless it is `rewarded`.'),
    }),
  },
  trained: {
    method: 'post',
    path: `${prefix}/steps/:step/trained`,
    maxBodyBytes: mebibyte / 16,
    query: NoQuery,
    body: Trained,
    reply: z.object({
      step: z.int(),
      save: z.boolean().describe('Store a checkpoint of this step before the next one.'),
      look: z.boolean().describe('Sample the look of this step, after the checkpoint.'),
      finish: z.boolean().describe('The run ends with this step: report the result after checkpoint and look.'),
    }),
  },
  /** As a step; its state is never `rewarded`, but `judging` when nothing is missing. */
  look: stateOf(`${prefix}/looks/:step`),
  lookRollouts: rolloutsOf(`${prefix}/looks/:step/rollouts`),
} as const satisfies Readonly<Record<string, GrpoCall>>

/** The path of a call, with its step and its query. */
export function grpoPath(
  call: Pick<GrpoCall, 'path'>,
  step: number,
  query: Readonly<Record<string, number>> = {},
): string {
  const values = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  return call.path.replace(':step', String(step)) + (values.length === 0 ? '' : `?${values.join('&')}`)
}
