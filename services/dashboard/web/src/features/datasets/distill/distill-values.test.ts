import { bodyOf, type DistillValues, missingText, newDistillValues } from './distill-values.ts'

const chosen: DistillValues = {
  ...newDistillValues,
  name: ' Answers ',
  teacher: 'sim/large',
  datasetId: 'ds_1',
  maxCostUsd: '2.5',
}

it('asks a teacher for the prompts of a dataset, or for those of the log with a tag', () => {
  const common = { name: 'Answers', teacher_model: 'sim/large', samples_per_prompt: 1, max_cost_usd: 2.5 }
  expect(bodyOf(chosen)).toEqual({ ...common, dataset_id: 'ds_1' })
  expect(bodyOf({ ...chosen, from: 'log' })).toEqual({ ...common, filters: {} })
  const judged = { ...chosen, from: 'log', tag: ' support ', criterionId: 'crit_1', acknowledges: true } as const
  expect(bodyOf(judged)).toEqual({
    ...common,
    filters: { tag: 'support' },
    criterion_id: 'crit_1',
    acknowledge_terms: true,
  })
})

it.each<[Partial<DistillValues>, boolean, string | null]>([
  [{}, false, null],
  [{ teacher: '' }, false, 'Choose a teacher.'],
  [{}, true, 'Read the terms of its provider.'],
  [{ acknowledges: true }, true, null],
  [{ datasetId: '' }, false, 'Choose a dataset.'],
  [{ datasetId: '', from: 'log' }, false, null],
  [{ name: ' ' }, false, 'Give it a name.'],
  [{ maxCostUsd: '0' }, false, 'Say how much it may cost.'],
])('says what is missing with %j (%j)', (more, needsTerms, missing) => {
  expect(missingText({ ...chosen, ...more }, needsTerms)).toBe(missing)
})
