import type { CreateEval } from '@ratchet/contracts/evals'
import { checkRequest } from './check-request.ts'
import { evalRequest } from './eval.fixture.ts'

const replay = { baseline_model: 'logged', sample_filters: { trace_replay: true } }
const criterion = { judge_model: null, criterion_id: 'crit_1', rubric: null }

it.each<[string, Partial<CreateEval>]>([
  ['a plain request', {}],
  ['three candidates', { candidate_models: ['a', 'b', 'c'] }],
  ['filters of the log', { sample_filters: { tag: 't', segment: 's', model: 'm' } }],
  ['a dataset', { sample_filters: { dataset_id: 'ds_1' } }],
  ['agent runs', replay],
  ['agent runs of a tag', { ...replay, sample_filters: { trace_replay: true, tag: 't' } }],
  ['trace_replay that is false', { sample_filters: { trace_replay: false } }],
  ['repetitions', { repetitions: 5 }],
  ['a criterion', criterion],
  ['a panel', { judge_model: null, judge_models: ['a', 'b', 'c'] }],
  ['a question with a margin', { question: 'not_worse', margin: 0.03 }],
  ['an end when it is conclusive', { stop_when: 'conclusive' }],
  ['a criterion with the type custom', { ...criterion, rubric_type: 'custom' }],
  ['a custom rubric', { rubric_type: 'custom' }],
  ['a rubric type without a rubric', { rubric: null }],
  ['stored answers of the log as the reference', { judging_mode: 'match_reference', reference: 'logged_reply' }],
  ['the default reference', { judging_mode: 'match_reference' }],
  [
    'stored answers of a dataset as the reference',
    { judging_mode: 'match_reference', reference: 'dataset', sample_filters: { dataset_id: 'ds_1' } },
  ],
])('accepts %s', (_case, more) => {
  expect(() => checkRequest(evalRequest(more))).not.toThrow()
})

it.each<[string, Partial<CreateEval>, string]>([
  ['the baseline as a candidate', { candidate_models: ['sim/large', 'sim/medium'] }, 'candidate_models.1'],
  ['a candidate twice', { candidate_models: ['a', 'b', 'a'] }, 'candidate_models.2'],
  ['stored answers as a candidate', { candidate_models: ['logged'] }, 'candidate_models.0'],
  ['stored answers against themselves', { ...replay, candidate_models: ['logged'] }, 'candidate_models.0'],
  ['a dataset and a tag', { sample_filters: { dataset_id: 'ds_1', tag: 't' } }, 'sample_filters.dataset_id'],
  [
    'a dataset and agent runs',
    { ...replay, sample_filters: { dataset_id: 'ds_1', trace_replay: true } },
    'sample_filters.dataset_id',
  ],
  ['stored answers without agent runs', { baseline_model: 'logged' }, 'baseline_model'],
  [
    'stored answers of a dataset as the baseline',
    { baseline_model: 'logged', sample_filters: { dataset_id: 'ds_1' } },
    'baseline_model',
  ],
  ['agent runs without stored answers', { sample_filters: { trace_replay: true } }, 'baseline_model'],
  ['agent runs with repetitions', { ...replay, repetitions: 2 }, 'repetitions'],
  ['not_worse without a margin', { question: 'not_worse' }, 'margin'],
  ['a margin without not_worse', { margin: 0.03 }, 'margin'],
  ['an early end with repetitions', { stop_when: 'conclusive', repetitions: 2 }, 'repetitions'],
  ['a judge beside a panel', { judge_models: ['a', 'b'] }, 'judge_models'],
  ['a judge twice in a panel', { judge_model: null, judge_models: ['a', 'a'] }, 'judge_models.1'],
  ['no judge', { judge_model: null }, 'judge_model'],
  ['two judges', { criterion_id: 'crit_1', rubric: null }, 'judge_model'],
  ['a criterion and a rubric', { ...criterion, rubric: 'It is kind.' }, 'rubric'],
  ['a custom type without a rubric', { rubric: null, rubric_type: 'custom' }, 'rubric'],
  ['agent runs compared with their own reference', { ...replay, judging_mode: 'match_reference' }, 'judging_mode'],
  ['a reference without match_reference', { reference: 'logged_reply' }, 'reference'],
  ['the reference of a dataset without one', { judging_mode: 'match_reference', reference: 'dataset' }, 'reference'],
  [
    'the reference of the log for a dataset',
    { judging_mode: 'match_reference', reference: 'logged_reply', sample_filters: { dataset_id: 'ds_1' } },
    'reference',
  ],
])('refuses %s and names the field', (_case, more, param) => {
  expect(() => checkRequest(evalRequest(more))).toThrow(expect.objectContaining({ code: 'invalid_request', param }))
})
