import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** The digits of a `bigint`, because a JSON number cannot hold it. */
const Nano = z.string().regex(/^(0|[1-9]\d{0,17}|[1-8]\d{18})$/)
const Count = z.string().regex(/^(0|[1-9]\d{0,17})$/)
const HoldId = z.uuid().lowercase()

/** Holds one day after the last call that named them; then they are released. */
const ofTraining = { service: 'inference', audience: 'internal', callers: ['training'] } as const
const oneHold = { params: z.strictObject({ hold_id: HoldId }) } as const

export const TrainingHold = z.object({
  hold_id: z.uuid(),
  job_id: z.uuid(),
  held_nano: Nano.describe('What is still held: the amount without what was charged out of it.'),
  job_cost_nano: Nano.describe('What the job was charged since its creation, by all of its holds.'),
  opened_at: z.iso.datetime(),
  expires_at: z.iso.datetime().describe('When it is released unless a call names it before.'),
})

/** The end of a call that charges. */
const Charged = z.object({
  state: z
    .enum(['open', 'posted', 'voided'])
    .describe(
      '`open`: the rest is held. `posted`: settled. `voided`: released, by a call or because no call named it.',
    ),
  held_nano: Nano.describe('0 unless it is open.'),
  job_cost_nano: Nano.describe('What the job was charged since its creation, by all of its holds.'),
})

/** What a job has cost since its creation. */
const Cost = z.strictObject({
  cost_nano: Nano,
  trained_tokens: Count.optional().describe('What this cost is for, since the creation of the job.'),
})

export const takeTrainingHold = endpoint({
  ...ofTraining,
  method: 'post',
  path: '/internal/training_holds',
  summary: 'Hold money for a training job.',
  description:
    'A repetition changes nothing; one with a larger amount raises the hold, or is refused and leaves it as it is. A job has one open hold at a time, and asks for the next one after the answer about the one before: `conflict` while it has another one, and when this one was settled or released.',
  body: z.strictObject({
    hold_id: HoldId.describe('Chosen by the caller, the same in every repetition.'),
    job_id: HoldId,
    amount_nano: Nano.describe('What the job may cost from now on, out of this hold.'),
    model: z.string().min(1).max(200).describe('The catalog id of the model that is trained.'),
    kind: z
      .enum(['training', 'dedicated'])
      .default('training')
      .describe('What its charges are listed as. `dedicated`: a window of a replica.'),
  }),
  reply: z.object({ held_nano: Nano, job_cost_nano: Nano }),
  errors: ['insufficient_balance', 'conflict'],
})

export const checkpointTrainingHold = endpoint({
  ...ofTraining,
  ...oneHold,
  method: 'post',
  path: '/internal/training_holds/:hold_id/checkpoint',
  summary: 'Charge a training job up to a cost, out of its hold.',
  description:
    'Charges the difference to what the job was charged before, at most the hold. A repetition, and a lower cost, charge nothing. After its hold was released because no call named it, the job is charged as far as the wallet covers it.',
  body: Cost,
  reply: Charged,
  errors: ['not_found'],
})

export const settleTrainingHold = endpoint({
  ...ofTraining,
  ...oneHold,
  method: 'post',
  path: '/internal/training_holds/:hold_id/settle',
  summary: 'Charge a training job up to a cost, and release the rest of its hold.',
  description: 'As a checkpoint. The first settle is final: a repetition changes nothing.',
  body: Cost,
  reply: Charged,
  errors: ['not_found'],
})

export const releaseTrainingHold = endpoint({
  ...ofTraining,
  ...oneHold,
  method: 'post',
  path: '/internal/training_holds/:hold_id/release',
  summary: 'Release the hold of a training job, and charge nothing more.',
  description: 'A hold that was never taken can no longer be taken.',
  reply: Charged,
})

export const confirmTrainingHolds = endpoint({
  ...ofTraining,
  method: 'post',
  path: '/internal/training_holds/confirm',
  summary: 'State that holds of a workspace are needed.',
  description: 'They then expire a day from now. The answer is that of the list.',
  body: z.strictObject({ hold_ids: z.array(HoldId).max(1_000) }),
  reply: z.object({ object: z.literal('list'), data: z.array(TrainingHold) }),
})

export const listTrainingHolds = endpoint({
  ...ofTraining,
  method: 'get',
  path: '/internal/training_holds',
  summary: 'List the open holds of training jobs of a workspace.',
  description: 'The oldest first, at most 1,000.',
  reply: z.object({ object: z.literal('list'), data: z.array(TrainingHold) }),
})
