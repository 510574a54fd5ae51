import { z } from 'zod'
import { mebibyte } from './byte-sizes.ts'
import { ChatMessage } from './chat-message.ts'
import { endpoint } from './endpoint.ts'
import { ofTraining } from './grpo.ts'
import { TestGrpoReward } from './grpo-body.ts'

const usd = z.number().min(0)
const share = z.number().min(0).max(1)

const Terms = z.record(z.string(), share.nullable()).describe('By name; null: there is no verdict.')

export const GrpoRewardTest = z.object({
  object: z.literal('grpo.reward_test'),
  samples: z.array(
    z.object({
      reward: share.nullable(),
      terms: Terms,
      messages: z.array(ChatMessage).describe('Only with `datasetId`: what the model was asked.').optional(),
      completion: z.array(ChatMessage).describe('Only with `datasetId`: what it answered.').optional(),
      truncated: z.boolean().describe('Only with `datasetId`: whether it was cut at `maxOutputTokens`.').optional(),
    }),
  ),
  groups: z.array(z.object({ samples: z.array(z.int()), mean: share.nullable(), std: z.number().nullable() })),
  group_std: z.number().nullable().describe('Mean deviation of the groups of at least two samples; null without any.'),
  zero_variance_share: share.nullable().describe('Share of these groups whose samples all have the same reward.'),
  cost_usd: usd.describe('Of the judges, and of the answers of the model.'),
  sampling_cost_usd: usd.describe('The part of the answers of the model.'),
})
export type GrpoRewardTest = z.infer<typeof GrpoRewardTest>

export const testGrpoReward = endpoint({
  ...ofTraining,
  method: 'post',
  path: '/v1/grpo/rewards/test',
  summary: 'Try a reward on answers.',
  description:
    'Rewards each sample as a run would: those of the body, or answers that a model gives to prompts of a dataset. Judges need not be proven; calls of judges and of the model are charged. Repeated with the same body and `Idempotency-Key`, it is charged once.',
  guard: true,
  maxBodyBytes: 4 * mebibyte,
  body: TestGrpoReward,
  reply: GrpoRewardTest,
  refusesFlatly: true,
  requestHeaders: ['Idempotency-Key'],
  errors: [
    'unknown_parameter',
    'not_found',
    'model_not_found',
    'invalid_training_data',
    'unsupported_unit',
    'insufficient_balance',
    'upstream_error',
    'request_too_large',
    'unsupported_media_type',
  ],
})
