import { z } from 'zod'
import { mebibyte } from './byte-sizes.ts'
import { DatasetProgress } from './dataset-progress.ts'
import { Dataset, DatasetName } from './datasets.ts'
import { endpoint } from './endpoint.ts'
import { SampleFilters } from './internal-logs.ts'
import { storable } from './storable.ts'

/** Endpoints of logging for datasets that the training service makes. The edge does not forward to them. */
const ofTraining = { service: 'logging', audience: 'internal', callers: ['training'] } as const
const params = z.strictObject({ id: z.string() })
const message = storable(z.string().max(2_000)).nullable()

export const drawPrompts = endpoint({
  ...ofTraining,
  method: 'post',
  path: '/internal/prompts/draw',
  summary: 'Draw distinct prompts with their content.',
  description: 'In random order, at most 16 MB. The same seed and log give the same prompts.',
  body: z.strictObject({
    filters: SampleFilters,
    count: z.int().min(1).max(2_000),
    seed: z.int().min(0).max(2_147_483_647),
  }),
  reply: z.object({
    data: z.array(
      z.object({
        messages: z.array(z.looseObject({ role: z.string() })),
        tools: z.array(z.unknown()).nullable(),
        reply: z
          .looseObject({ role: z.string() })
          .nullable()
          .default(null)
          .describe('The logged answer, where it has one.'),
      }),
    ),
  }),
  errors: ['logging_disabled'],
})

export const announceDataset = endpoint({
  ...ofTraining,
  method: 'put',
  path: '/internal/datasets/:id',
  summary: 'Show a dataset that is being built.',
  description: 'The caller chooses the id. A repetition changes nothing.',
  params,
  body: z.strictObject({
    name: DatasetName,
    filters: z.record(z.string(), z.unknown()),
    criterion_id: z.string().nullable(),
    progress: DatasetProgress,
  }),
  reply: Dataset,
  errors: ['conflict'],
})

export const reportDataset = endpoint({
  ...ofTraining,
  method: 'patch',
  path: '/internal/datasets/:id',
  summary: 'Report how far a dataset is that is being built.',
  description: 'A dataset that was deleted is not found.',
  params,
  body: z.strictObject({ progress: DatasetProgress, status_message: message, failed: z.boolean() }),
  reply: Dataset,
  errors: ['not_found'],
})

export const fillDataset = endpoint({
  ...ofTraining,
  method: 'put',
  path: '/internal/datasets/:id/examples',
  summary: 'Store the examples of a dataset that is being built, which is then ready.',
  description: 'Redacted, each once, in the order of their hashes. A repetition changes nothing.',
  maxBodyBytes: 128 * mebibyte,
  maxJsonBytes: 128 * mebibyte,
  params,
  body: z.strictObject({ examples: z.array(z.unknown()).optional() }),
  reply: Dataset,
  errors: ['not_found', 'conflict', 'quota_exceeded', 'request_too_large'],
})
