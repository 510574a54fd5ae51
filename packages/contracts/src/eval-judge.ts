import { z } from 'zod'
import { Trust } from './criteria.ts'

/** The judge of an eval, as it was when the eval began. */
export const judgeFields = {
  judge_model: z.string(),
  judge_models: z.array(z.string()).default([]).describe('All judges; more than one is a panel.'),
  criterion_id: z.string().nullable(),
  judge_trust: Trust.nullable().describe('Trust of the criterion when the eval began.'),
  judge_can_act: z
    .boolean()
    .nullable()
    .default(null)
    .describe(
      'Whether the criterion had the right to act when the eval began: `can_act` of the criterion. Only then the eval is evidence for an alias. Null without a criterion.',
    ),
  judge_cannot_act_reason: z.string().nullable().default(null),
  judge_unit: z
    .enum(['request', 'trace'])
    .default('request')
    .describe(
      '`trace`: the criterion judges runs, and the eval compares their last answers; it says nothing about other steps.',
    ),
}
