import { z } from 'zod'
import { maxCostUsd } from './criteria.ts'
import { Dataset, DatasetName } from './datasets.ts'
import { endpoint } from './endpoint.ts'
import { SampleFilters } from './internal-logs.ts'
import { storable } from './storable.ts'

const word = storable(z.string().min(1).max(200))

export const DistillDataset = z.strictObject({
  name: DatasetName,
  teacher_model: word.describe('A model of the catalog, which answers the prompts.'),
  dataset_id: word
    .nullish()
    .describe('Its prompts; the last reply of each example is left out. Not together with `filters`.'),
  filters: SampleFilters.nullish().describe('Distinct prompts of the log, chosen at random.'),
  samples_per_prompt: z.int().min(1).max(8).default(1),
  criterion_id: word.nullish().describe('A judge of single exchanges; only answers that it passes are kept.'),
  max_cost_usd: maxCostUsd.describe('Answers and verdicts together. When it is reached, what passed by then is kept.'),
  temperature: z.number().min(0).max(2).default(1),
  seed: z.int().min(0).max(2_147_483_647).default(0),
  acknowledge_terms: z
    .boolean()
    .default(false)
    .describe("True: the terms of the teacher's provider were read, and permit this training."),
})
export type DistillDataset = z.output<typeof DistillDataset>

export const distillDataset = endpoint({
  method: 'post',
  path: '/v1/datasets/distill',
  summary: "Make a dataset of a teacher's answers.",
  description:
    'Asks the teacher for each answer once, in the background, and keeps what the judge passes; equal answers to a prompt are kept once. At most 2,000 prompts, and 16 MB of prompts times `samples_per_prompt`. The dataset is `building` meanwhile and shows its progress; to stop, delete it. The examples are in the order of their hashes, so that the same answers have the same `sha256`.',
  service: 'training',
  permission: 'owner_admin',
  guard: true,
  status: 202,
  body: DistillDataset,
  reply: Dataset,
  requestHeaders: ['Idempotency-Key'],
  errors: [
    'unknown_parameter',
    'not_found',
    'conflict',
    'invalid_training_data',
    'outputs_not_trainable',
    'unsupported_unit',
    'insufficient_balance',
    'quota_exceeded',
    'logging_disabled',
    'idempotency_conflict',
    'unsupported_media_type',
  ],
})
