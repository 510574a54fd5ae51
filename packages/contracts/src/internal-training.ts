import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** For the deletion of datasets and files; the edge does not forward to it. */
export const trainingDataReaders = endpoint({
  method: 'get',
  path: '/internal/training/data-readers',
  summary: 'Count the fine-tuning jobs that still have to read a dataset or a file.',
  description: 'A job reads its data once, before it is queued. What trainers read is a copy.',
  service: 'training',
  audience: 'internal',
  callers: ['logging'],
  query: z.strictObject({ source_id: z.string().describe('Public id of the dataset or file.') }),
  reply: z.object({ jobs: z.int().describe('Number of jobs whose data is not read yet, and that need it.') }),
})
