import { type CreateEval, Eval } from '@ratchet/contracts/evals'
import { buildReport } from '../report/build-report.ts'
import { reportInput } from '../report/measured-samples.fixture.ts'
import { evalRequest, newEval } from './eval.fixture.ts'
import { evalReply } from './eval-reply.ts'
import type { EvalRun } from './eval-run.ts'

const id = '00000000-0000-7000-8000-0000000000ee'
const plain: EvalRun = {
  ...newEval({ id }),
  status: 'PENDING',
  samplesTotal: null,
  report: null,
  error: null,
  webhook: null,
  finishedAt: null,
}
const withRequest = (more: Partial<CreateEval>): EvalRun => ({ ...plain, request: evalRequest(more) })

it('shows the request with its defaults', () => {
  const reply = evalReply(plain)
  expect(Eval.parse(reply)).toEqual(reply)
  expect(reply).toEqual({
    question: 'better',
    margin: null,
    stop_when: null,
    interim: null,
    evidence: null,
    judge_models: ['sim/judge'],
    object: 'eval',
    id: 'eval_000000000000700080000000000000ee',
    name: 'Support',
    status: 'PENDING',
    progress: { done: 0, total: 5 },
    error: null,
    rubric: 'It is kind.',
    rubric_type: 'adherence',
    baseline_model: 'sim/medium',
    candidate_models: ['sim/large'],
    sample_count: 5,
    sample_filters: {},
    judging_mode: 'direct_quality',
    reference: null,
    judge_model: 'sim/judge',
    criterion_id: null,
    judge_trust: null,
    judge_can_act: null,
    judge_cannot_act_reason: null,
    judge_unit: 'request',
    assertions: [],
    params: {},
    seed: 0,
    max_cost_usd: null,
    repetitions: 1,
    webhook: null,
    waiting_for: null,
    webhook_url: null,
    report: null,
    cost_usd: 0,
    judge_cost_usd: 0,
    created_at: '2026-11-21T12:00:00.000Z',
    finished_at: null,
  })
})

it('shows progress and cost', () => {
  const reply = evalReply(
    { ...plain, samplesTotal: 40 },
    { total: 40, done: 7, costNano: 1_001n, judgeCostNano: 9_000n, waitingFor: 'No credit.' },
  )
  expect(reply).toMatchObject({ progress: { done: 7, total: 40 }, cost_usd: 0.000002, judge_cost_usd: 0.000009 })
  expect(reply.waiting_for).toBe('No credit.')
})

it.each<[string, EvalRun, object]>([
  ['how many samples there will be', withRequest({ repetitions: 3 }), { progress: { done: 0, total: 15 } }],
  ['no rubric', { ...plain, judge: { ...plain.judge, rubric: null } }, { rubric: null }],
  ['the stored answers of the log', withRequest({ judging_mode: 'match_reference' }), { reference: 'logged_reply' }],
  [
    'the stored answers of a dataset',
    withRequest({ judging_mode: 'match_reference', sample_filters: { dataset_id: 'ds_1' } }),
    { reference: 'dataset', sample_filters: { dataset_id: 'ds_1' } },
  ],
  [
    'the criterion with its frozen model and trust, of an earlier release',
    { ...plain, judge: { model: 'sim/judge-2', rubric: 'x', criterionId: id, trust: 'misaligned' } },
    {
      judge_model: 'sim/judge-2',
      criterion_id: 'crit_000000000000700080000000000000ee',
      judge_trust: 'misaligned',
      judge_can_act: false,
      judge_cannot_act_reason: expect.stringContaining('earlier release'),
      rubric: 'x',
    },
  ],
  ['the maximum cost', withRequest({ max_cost_usd: 0.25 }), { max_cost_usd: 0.25 }],
  [
    'the webhook and its delivery',
    { ...plain, webhook: { url: 'https://a.b', attempts: 2, deliveredAt: null, error: 'It was answered with 500.' } },
    { webhook: { url: 'https://a.b', attempts: 2, delivered_at: null, error: 'It was answered with 500.' } },
  ],
  [
    'how the eval ended',
    {
      ...plain,
      status: 'FAILED',
      error: 'No.',
      finishedAt: new Date('2026-11-21T12:01:00Z'),
      report: buildReport(reportInput([])),
    },
    {
      status: 'FAILED',
      error: 'No.',
      finished_at: '2026-11-21T12:01:00.000Z',
      report: { samples_total: 0, candidates: { 'openai/gpt-5-mini': { win_rate: null } } },
    },
  ],
])('shows %s', (_case, run, expected) => {
  expect(Eval.parse(evalReply(run))).toMatchObject(expected)
})
