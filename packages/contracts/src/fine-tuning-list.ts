import { z } from 'zod'
import { FineTuningJob, listFineTuningJobs } from './fine-tuning.ts'

/** The list of fine-tuning jobs by pages, which `envelope=true` asks for. */
export const fineTuningJobPages = {
  ...listFineTuningJobs,
  reply: z.object({ object: z.literal('list'), data: z.array(FineTuningJob), has_more: z.boolean() }),
}
