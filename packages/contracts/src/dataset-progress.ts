import { z } from 'zod'

const count = z.int().min(0)

export const DatasetStatus = z.enum(['building', 'ready', 'failed'])
export type DatasetStatus = z.infer<typeof DatasetStatus>

/** How far the answers are from which a dataset is made. */
export const DatasetProgress = z.object({
  samples: count.describe('Answers that are asked for: prompts times answers to each.'),
  answered: count.describe('Answers so far, without those that were refused or cut off.'),
  refused: count.describe('Answers that never will be there: refused, or cut off.'),
  judged: count.describe('Answers with a verdict; 0 without a judge.'),
  passed: count.describe('Answers that the judge passed; all of them without a judge.'),
  cost_usd: z.number().min(0),
})
export type DatasetProgress = z.infer<typeof DatasetProgress>

/** Members of a dataset that say whether it can be used. */
export const datasetState = {
  /** One that is not `ready` has no examples, and nothing can use it. */
  status: DatasetStatus.default('ready'),
  /** What it waits for, why it failed, or what is missing in it. */
  status_message: z.string().nullable().default(null),
  /** Null for a dataset that was not made of a teacher's answers. */
  progress: DatasetProgress.nullable().default(null),
}
