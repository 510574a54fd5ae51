import { FineTuningJobPage, listFineTuningJobs } from './fine-tuning.ts'

/** The list of fine-tuning jobs by pages, which `envelope=true` asks for. */
export const fineTuningJobPages = {
  ...listFineTuningJobs,
  reply: FineTuningJobPage,
}
