import { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'

/** The request of the jobs of tests. */
export const jobRequest = CreateFineTuningJob.parse({ model: 'sim/base', datasetId: 'ds_' })
