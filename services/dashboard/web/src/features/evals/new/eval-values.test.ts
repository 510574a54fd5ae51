import { bodyOf, type EvalValues, missingIn, newEvalValues } from './eval-values.ts'

const chosen: EvalValues = {
  ...newEvalValues,
  baseline: 'sim/large',
  candidates: ['sim/small'],
  judgeKind: 'rubric',
  judgeModels: ['sim/judge'],
  rubric: 'It is right.',
}

it('says what is missing, and makes no body until then', () => {
  expect(missingIn(newEvalValues, {})).toEqual(['the baseline', 'a candidate', 'a judge'])
  expect(missingIn({ ...chosen, source: 'dataset', rubric: ' ' }, {})).toEqual(['a dataset', 'what a good answer is'])
  expect(bodyOf(newEvalValues, {})).toBeNull()
})

it('makes the body of the contract', () => {
  expect(bodyOf(chosen, { tag: 'support', model: '' })).toEqual({
    name: 'sim/small against sim/large',
    baseline_model: 'sim/large',
    candidate_models: ['sim/small'],
    sample_count: 100,
    sample_filters: { tag: 'support' },
    repetitions: 1,
    question: 'better',
    judge_model: 'sim/judge',
    rubric: 'It is right.',
  })
})

it('asks a panel, tolerates a margin and stops early', () => {
  const body = bodyOf(
    { ...chosen, judgeModels: ['a/b', 'c/d'], question: 'not_worse', marginPoints: 3, stops: true, repetitions: 4 },
    {},
  )
  expect(body).toMatchObject({
    judge_models: ['a/b', 'c/d'],
    question: 'not_worse',
    margin: 0.03,
    stop_when: 'conclusive',
    repetitions: 1,
  })
})

it('compares runs with what was logged, and datasets with their answers', () => {
  const runs = bodyOf({ ...chosen, source: 'runs', comparesWithStored: true, repetitions: 3 }, { tag: 'agent' })
  expect(runs).toMatchObject({
    baseline_model: 'logged',
    repetitions: 1,
    sample_filters: { tag: 'agent', trace_replay: true },
  })
  expect(runs).not.toHaveProperty('reference')
  const dataset = bodyOf({ ...chosen, source: 'dataset', comparesWithStored: true }, { dataset_id: 'ds_1', tag: 'x' })
  expect(dataset).toMatchObject({ sample_filters: { dataset_id: 'ds_1' }, reference: 'dataset' })
})
