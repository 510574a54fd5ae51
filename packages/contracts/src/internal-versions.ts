import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { GuardVerdict } from './grpo.ts'
import { ModelVersionStatus, RewardAudit } from './model-versions.ts'

/** Endpoints of the training service about model versions, for the alias service. The edge does not forward to them. */
const ofTraining = { service: 'training', audience: 'internal', callers: ['alias'] } as const

export const VersionFacts = z.object({
  id: z.string(),
  model: z.string(),
  status: ModelVersionStatus,
  start_model: z.string().describe('The model that it was trained from: another version or the base.'),
  from_reward: z.boolean().describe("Whether a judge's reward made it, or one that it was trained from."),
  guard: GuardVerdict.nullable().describe('At its step. Null when it was not guarded.'),
  audit: RewardAudit.nullable().describe('Null when people have audited nothing.'),
})
export type VersionFacts = z.infer<typeof VersionFacts>

export const getVersionFacts = endpoint({
  ...ofTraining,
  method: 'get',
  path: '/internal/training/version-facts',
  summary: 'Read what decides about the adoption of a model version.',
  description: 'Null for a model that is no version of the workspace.',
  query: z.strictObject({ model: z.string() }),
  reply: z.object({ version: VersionFacts.nullable() }),
})

export const checkVersionEvals = endpoint({
  ...ofTraining,
  method: 'get',
  path: '/internal/training/checked-evals',
  summary: 'Check whether evals can prove something about a model version.',
  description: 'Counts prompts that the version was trained on, or a version from which it was trained on.',
  query: z.strictObject({
    model: z.string(),
    eval_ids: z
      .string()
      .max(4_000)
      .transform((ids) => ids.split(','))
      .describe('At most 50 ids, separated by commas.'),
  }),
  reply: z.object({
    data: z.array(
      z.object({
        eval_id: z.string(),
        trained_prompts: z
          .int()
          .min(0)
          .describe('Prompts of the eval whose conversation was trained on, or by whose looks the version was chosen.'),
        independent: z
          .boolean()
          .describe('Whether neither a criterion that rewarded it nor a judge of the family of such a judge decided.'),
      }),
    ),
  }),
})
