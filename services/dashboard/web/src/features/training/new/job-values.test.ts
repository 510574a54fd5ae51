import { bodyOf, fieldAt, type JobValues, missingIn, newJobValues, problemsIn } from './job-values.ts'

const chosen: JobValues = { ...newJobValues, model: 'sim/small', datasetId: 'ds_1' }

it('says what is missing, and makes no body until then', () => {
  expect(missingIn(newJobValues)).toEqual(['a model', 'a dataset'])
  expect(missingIn({ ...newJobValues, method: 'dpo' })).toEqual(['a model', 'a file'])
  expect([bodyOf(newJobValues), problemsIn(newJobValues)]).toEqual([null, {}])
})

it('leaves defaults to the API', () => {
  expect(bodyOf(chosen)).toEqual({
    model: 'sim/small',
    datasetId: 'ds_1',
    method: { type: 'supervised', supervised: { hyperparameters: { onTooLong: 'drop' } } },
    training: 'lora',
  })
})

it('sends what was typed, as numbers', () => {
  const body = bodyOf({
    ...chosen,
    nEpochs: '2',
    batchSize: '16',
    learningRate: '2e-4',
    loraRank: '64',
    beta: '0.2',
    earlyStopping: '3',
    nCheckpoints: '4',
    maxCostUsd: '1.5',
    suffix: ' support ',
    evalDatasetId: 'ds_2',
  })
  const settings = { nEpochs: 2, batchSize: 16, learningRate: 2e-4, loraRank: 64, onTooLong: 'drop' }
  expect(body).toMatchObject({
    evalDatasetId: 'ds_2',
    method: { type: 'supervised', supervised: { hyperparameters: settings } },
    suffix: 'support',
    nCheckpoints: 4,
    maxCostUsd: 1.5,
  })
  expect(Object.values(body?.earlyStopping ?? {})).toEqual([3])
  expect(JSON.stringify(body)).not.toContain('beta')
})

it('takes pairs from a file, and has no rank for all weights', () => {
  const values: JobValues = {
    ...chosen,
    method: 'dpo',
    trainingFile: 'file-1',
    beta: '0.2',
    training: 'full',
    loraRank: '64',
  }
  expect(bodyOf(values)).toEqual({
    model: 'sim/small',
    trainingFile: 'file-1',
    method: { type: 'dpo', dpo: { hyperparameters: { onTooLong: 'drop', beta: 0.2 } } },
    training: 'full',
  })
})

it('says at each field what is wrong with it', () => {
  const wrong: JobValues = {
    ...chosen,
    nEpochs: '99',
    learningRate: 'fast',
    suffix: 'a b',
    loraRank: '7',
    earlyStopping: '0',
  }
  const problems = problemsIn(wrong)
  expect(Object.keys(problems).sort()).toEqual(['earlyStopping', 'learningRate', 'loraRank', 'nEpochs', 'suffix'])
  expect(problems.nEpochs).not.toBe('Invalid input')
  expect(bodyOf(wrong)).toBeNull()
})

it.each([
  [['method', 'dpo', 'hyperparameters', 'beta'], 'beta'],
  [['max_cost_usd'], 'maxCostUsd'],
  [['method', 'type'], 'method'],
  [['metadata'], null],
  [[], null],
])('finds the field of %p', (path, field) => {
  expect(fieldAt(path)).toBe(field)
})
