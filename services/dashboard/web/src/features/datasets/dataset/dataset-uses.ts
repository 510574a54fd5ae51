import type { Eval } from '@ratchet/contracts/evals'
import type { FineTuningJob } from '@ratchet/contracts/fine-tuning'

export interface DatasetUse {
  readonly kind: 'eval' | 'job'
  readonly id: string
  readonly name: string
}

/** Evals whose prompts are those of a dataset. */
export function evalsOf(
  evals: readonly Pick<Eval, 'id' | 'name' | 'sample_filters'>[],
  datasetId: string,
): readonly DatasetUse[] {
  return evals
    .filter(({ sample_filters: filters }) => filters.dataset_id === datasetId)
    .map(({ id, name }) => ({ kind: 'eval', id, name }))
}

/** Jobs that train on a dataset, or measure their model with it. */
export function jobsOf(
  jobs: readonly Pick<FineTuningJob, 'id' | 'dataset_id' | 'eval_dataset_id'>[],
  datasetId: string,
): readonly DatasetUse[] {
  return jobs
    .filter((job) => job.dataset_id === datasetId || job.eval_dataset_id === datasetId)
    .map(({ id }) => ({ kind: 'job', id, name: id }))
}
