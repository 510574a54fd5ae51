import { bodyOf, missingText, newRoundValues } from './round-values.ts'
import { gainState, gainText, precisionState, precisionText, titleOf } from './round-words.ts'

const plain = (text: string | null) => text?.replaceAll(/[\u00a0\u202f]/g, ' ')

it('names a round by its place in the chain', () => {
  expect(titleOf({ name: null, base_model: 'sim/small', round_index: 1 })).toBe('sim/small, round 2')
})

it.each([
  [{ precision_estimate: null, precision_ci: null }, '–', 'none'],
  [{ precision_estimate: 0.9, precision_ci: [0.84, 0.95] as [number, number] }, '90 % (84 % to 95 %)', 'wrong'],
  [{ precision_estimate: 0.9, precision_ci: [0.86, 0.95] as [number, number] }, '90 % (86 % to 95 %)', 'proven'],
])('says of the precision %j: %s', (round, text, state) => {
  expect([plain(precisionText(round)), precisionState({ ...round, min_precision: 0.85 })]).toEqual([text, state])
})

it.each([
  [[0.1, 0.3], 'From 40 % to 60 % of prompts that were held out: better by 10 to 30 points.', 'proven'],
  [[-0.3, -0.1], 'From 40 % to 60 % of prompts that were held out: worse by 10 to 30 points.', 'wrong'],
  [
    [-0.1, 0.3],
    'From 40 % to 60 % of prompts that were held out. The difference may be chance: -10 to 30 points.',
    'borderline',
  ],
])('says of the interval %j: %s', (ci, text, state) => {
  const round = { holdout_pass_rate: { before: 0.4, after: 0.6, ci: ci as [number, number] } }
  expect([plain(gainText(round)), gainState(round)]).toEqual([text, state])
})

it('says what is missing, and sends what was chosen', () => {
  expect(missingText(newRoundValues, null)).toBe('Choose a model.')
  expect(missingText(newRoundValues, 'raft_1')).toBe('Say how much the round may cost.')
  expect(bodyOf(newRoundValues, null)).toBeNull()
  const values = { ...newRoundValues, baseModel: 'm', datasetId: 'd', criterionId: 'c', maxCostUsd: '2' }
  const common = { samplesPerPrompt: 8, realDataPct: 10, minPrecision: 0.85, maxCostUsd: 2 }
  expect(bodyOf(values, null)).toEqual({ baseModel: 'm', datasetId: 'd', criterionId: 'c', ...common })
  expect(bodyOf(values, 'raft_1')).toEqual({ continueFromRoundId: 'raft_1', ...common })
})

describe('the body of a new round', () => {
  const chosen = {
    ...newRoundValues,
    baseModel: 'sim/small',
    datasetId: 'ds_1',
    criterionId: 'crit_1',
    maxCostUsd: '5',
  }

  it('names a version in place of the model, and the log in place of a dataset', () => {
    const body = bodyOf({ ...chosen, modelVersionId: 'mv_1', from: 'log', tag: ' support ', holdoutPct: '20' }, null)
    expect(body).toMatchObject({ modelVersionId: 'mv_1', filters: { tag: 'support' }, holdoutPct: 20 })
    expect(Object.keys(body ?? {})).not.toContain('baseModel')
    expect(Object.keys(body ?? {})).not.toContain('datasetId')
    expect(bodyOf({ ...chosen, from: 'log', datasetId: '' }, null)).toMatchObject({ filters: {} })
  })

  it('has the settings of its training, and the eval after it', () => {
    const more = { nEpochs: '2', learningRate: '1e-4', evalBaselineModel: 'sim/large' }
    const asked = { ...chosen, ...more, evalCriterionId: 'crit_2' }
    expect(bodyOf(asked, null)).toMatchObject({
      fineTuning: { hyperparameters: { nEpochs: 2, learningRate: 1e-4 } },
      evalBaseline: { evalBaselineModel: 'sim/large', criterionId: 'crit_2' },
    })
    expect(bodyOf(chosen, null)).not.toHaveProperty('fineTuning')
    expect(missingText({ ...chosen, ...more }, null)).toBe('Choose who compares the version.')
  })

  it('holds out no percent beside a dataset that is named', () => {
    expect(bodyOf({ ...chosen, evalDatasetId: 'ds_2', holdoutPct: '20' }, null)).not.toHaveProperty('holdoutPct')
  })
})
