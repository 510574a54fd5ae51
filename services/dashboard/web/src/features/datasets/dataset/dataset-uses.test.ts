import { evalsOf, jobsOf } from './dataset-uses.ts'

it('finds the evals whose prompts are those of the dataset', () => {
  const evals = [
    { id: 'eval_1', name: 'small', sample_filters: { dataset_id: 'ds_1' } },
    { id: 'eval_2', name: 'log', sample_filters: {} },
  ]
  expect(evalsOf(evals as never, 'ds_1')).toEqual([{ kind: 'eval', id: 'eval_1', name: 'small' }])
})

it('finds the jobs that train on it or are measured with it', () => {
  const jobs = [
    { id: 'ftjob-1', dataset_id: 'ds_1', eval_dataset_id: null },
    { id: 'ftjob-2', dataset_id: 'ds_2', eval_dataset_id: 'ds_1' },
    { id: 'ftjob-3', dataset_id: null, eval_dataset_id: null },
  ]
  expect(jobsOf(jobs, 'ds_1').map(({ id }) => id)).toEqual(['ftjob-1', 'ftjob-2'])
})
