import { z } from 'zod'
import { Dataset, DatasetDescription, DatasetName } from './datasets.ts'
import { endpoint } from './endpoint.ts'
import { storable } from './storable.ts'

const count = z.int().min(0)

export const CurateFromEvals = z.strictObject({
  name: DatasetName,
  description: DatasetDescription.nullish(),
  eval_ids: z.array(z.string()).min(1).max(20).describe('Evals that are DONE.'),
  candidate: storable(z.string().min(1).max(200))
    .nullish()
    .describe('Which candidate is compared; required when an eval has several.'),
  min_consistency: z
    .number()
    .min(0)
    .max(1)
    .default(0.6)
    .describe('Least share of the samples of each eval that were judged the same in both orders.'),
  outcomes: z
    .array(z.enum(['win', 'loss']))
    .min(1)
    .max(2)
    .default(['win', 'loss'])
    .describe('Whose answer is preferred: that of the candidate, of the baseline, or either.'),
  holdout_pct: z.int().min(0).max(99).default(0),
  seed: z.int().default(0),
})
export type CurateFromEvals = z.output<typeof CurateFromEvals>

/** matched = train_count + eval_count + the sum of dropped. */
export const PairCurationSummary = z.object({
  matched: count.describe('Finished samples of the evals.'),
  dropped: z.object({
    tie: count,
    inconsistent: count.describe('The judge changed its mind with the order.'),
    other_outcome: count.describe('Not among the requested outcomes.'),
    no_answer: count.describe('A model gave no answer, or the sample could not be judged.'),
    deleted: count.describe('The texts were deleted with the log entry.'),
    duplicate: count,
  }),
  train_count: count,
  eval_count: count,
})

export const PairCuration = z.object({
  object: z.literal('dataset.curation'),
  dataset: Dataset,
  eval_dataset: Dataset.nullable(),
  summary: PairCurationSummary,
  redaction: z.object({ count, kinds: z.array(z.string()) }),
})
export type PairCuration = z.output<typeof PairCuration>

export const curateFromEvals = endpoint({
  method: 'post',
  path: '/v1/datasets/from_evals',
  summary: 'Make a dataset of preferred answers from evals.',
  description:
    'Each sample that the judge decided the same in both orders becomes a pair of the better and the other answer, in the format of OpenAI, for fine-tuning with the method `dpo`. What was dropped is counted. Conversations with the same beginning stay on one side of the holdout.',
  service: 'logging',
  permission: 'owner_admin',
  guard: true,
  status: 201,
  body: CurateFromEvals,
  reply: PairCuration,
  requestHeaders: ['Idempotency-Key'],
  errors: [
    'unknown_parameter',
    'not_found',
    'conflict',
    'precondition_failed',
    'quota_exceeded',
    'idempotency_conflict',
    'unsupported_media_type',
  ],
})
