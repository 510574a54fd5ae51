import { bodyOf, missingText, newRunValues, pricedOf } from './run-values.ts'

const chosen = { ...newRunValues, baseModel: 'm', datasetId: 'd', criterionId: 'c', maxCostUsd: '2' }
const body = {
  baseModel: 'm',
  datasetId: 'd',
  reward: { criteria: [{ criterionId: 'c' }] },
  holdout: {},
  hyperparameters: { maxSteps: 200, promptsPerStep: 16, groupSize: 8 },
  maxCostUsd: 2,
}

it.each([
  [newRunValues, 'Choose a model.'],
  [{ ...chosen, datasetId: '' }, 'Choose a dataset.'],
  [{ ...chosen, criterionId: '' }, 'Choose a judge.'],
  [{ ...chosen, maxCostUsd: '0' }, 'Say how much the run may cost.'],
])('asks nothing of %j, and says: %s', (values, text) => {
  expect([bodyOf(values), missingText(values)]).toEqual([null, text])
})

it('sends what was chosen, and the name only when the run starts', () => {
  expect(bodyOf(chosen)).toEqual(body)
  expect(bodyOf({ ...chosen, name: ' polite ' })).toEqual({ ...body, name: 'polite' })
  expect(pricedOf({ ...chosen, name: 'polite' })).toEqual(body)
})

it('goes on with a version in place of a model', () => {
  const { baseModel: _, ...others } = body
  expect(bodyOf({ ...chosen, baseModel: '', warmStartFrom: 'v' })).toEqual({ ...others, warmStartFrom: 'v' })
})

it('sends one hold-out judge', () => {
  const model = { ...chosen, holdoutModel: 'other/judge' }
  expect(bodyOf(model)).toEqual({ ...body, holdout: { judgeModel: 'other/judge' } })
  expect(bodyOf({ ...model, holdoutCriterionId: 'h' })).toEqual({ ...body, holdout: { criterionId: 'h' } })
})
