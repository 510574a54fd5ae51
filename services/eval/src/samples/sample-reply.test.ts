import { EvalSample } from '@ratchet/contracts/evals'
import { modelAnswer, pairVerdict, plannedSample, question, reply } from '../runs/eval.fixture.ts'
import type { DoneSample } from './sample.ts'
import { type SampleView, sampleReply } from './sample-reply.ts'

const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{}' } }
const one: SampleView = {
  request: { baseline_model: 'sim/base', candidate_models: ['sim/a'] },
  judges: ['sim/judge'],
  candidateIndex: undefined,
}
const two: SampleView = { ...one, request: { ...one.request, candidate_models: ['sim/a', 'sim/b'] } }

const done: DoneSample = {
  ...plannedSample({ id: '00000000-0000-7000-8000-0000000000ee', logId: '00000000-0000-7000-8000-0000000000cc' }),
  answers: [
    modelAnswer({ assertions: { no_tool_call: true } }),
    modelAnswer({
      modelIndex: 1,
      message: { role: 'assistant', content: '<think>Hm.</think>Adding.', tool_calls: [call] },
      costNano: 1_001n,
      latencyMs: 2.5,
      assertions: { no_tool_call: false },
    }),
  ],
  verdicts: [
    pairVerdict({ preference: 'second' }),
    pairVerdict({ isSwapped: true, preference: 'first', explanation: 'So.' }),
  ],
  outcomes: ['win'],
  disputed: false,
  error: null,
}

it('shows the prompt, the answers, and the verdicts in each order', () => {
  const shown = sampleReply(done, one)
  expect(EvalSample.parse(shown)).toEqual(shown)
  const plain = { error: null, tool_calls: null }
  expect(shown).toEqual({
    object: 'eval.sample',
    id: 'smp_000000000000700080000000000000ee',
    repetition: 0,
    prompt: { messages: [question('2 + 2?')], tools: null },
    baseline: { ...plain, model: 'sim/base', text: 'Four.', cost_usd: 0.000007, latency_ms: 100 },
    candidates: {
      'sim/a': {
        model: 'sim/a',
        text: 'Adding.\n[tool call] add({})',
        tool_calls: [call],
        error: null,
        cost_usd: 0.000002,
        latency_ms: 2.5,
      },
    },
    orders: [
      {
        judge: 'sim/judge',
        candidate: 'sim/a',
        first: 'sim/base',
        second: 'sim/a',
        winner: 'sim/a',
        explanation: 'Alike.',
      },
      {
        judge: 'sim/judge',
        candidate: 'sim/a',
        first: 'sim/a',
        second: 'sim/base',
        winner: 'sim/a',
        explanation: 'So.',
      },
    ],
    outcome: 'win',
    outcomes: { 'sim/a': 'win' },
    disputed: false,
    error: null,
    reference: 'Four.',
    assertions: { 'sim/base': { no_tool_call: true }, 'sim/a': { no_tool_call: false } },
    log_id: 'log_000000000000700080000000000000cc',
    trace_id: null,
    step_index: null,
  })
})

const both: DoneSample = {
  ...done,
  answers: [
    ...done.answers,
    modelAnswer({ modelIndex: 2, message: null, error: 'No.', costNano: 0n, latencyMs: null }),
  ],
  outcomes: ['loss', 'error'],
}

it.each<[string, DoneSample, SampleView, object]>([
  ['no outcome where there are several', both, two, { outcome: null, outcomes: { 'sim/a': 'loss', 'sim/b': 'error' } }],
  ['the outcome of the requested candidate', both, { ...two, candidateIndex: 2 }, { outcome: 'error' }],
  [
    'why a model gave no answer',
    both,
    two,
    { candidates: { 'sim/b': { text: null, tool_calls: null, error: 'No.', cost_usd: 0, latency_ms: null } } },
  ],
  [
    'a tie, and no verdict',
    {
      ...done,
      verdicts: [
        pairVerdict(),
        pairVerdict({ isSwapped: true, preference: null, failure: 'refused', explanation: 'It will not.' }),
      ],
    },
    one,
    {
      orders: [
        { winner: 'tie', first: 'sim/base' },
        { winner: null, first: 'sim/a', explanation: 'It will not.' },
      ],
    },
  ],
  [
    'a stored answer of unknown cost',
    { ...done, answers: [modelAnswer({ isRecorded: true, costNano: null, latencyMs: null })] },
    { ...one, request: { ...one.request, baseline_model: 'logged' } },
    { baseline: { model: 'logged', text: 'Four.', cost_usd: null, latency_ms: null }, candidates: {} },
  ],
  [
    'no deleted texts',
    {
      ...done,
      prompt: null,
      reference: null,
      answers: done.answers.map((answer) => ({ ...answer, message: null })),
      verdicts: done.verdicts.map((verdict) => ({ ...verdict, explanation: null })),
    },
    one,
    {
      prompt: null,
      reference: null,
      outcome: 'win',
      baseline: { text: null, error: null, cost_usd: 0.000007 },
      candidates: { 'sim/a': { text: null, tool_calls: null, error: null } },
      orders: [
        { winner: 'sim/a', explanation: null },
        { winner: 'sim/a', explanation: null },
      ],
    },
  ],
  [
    'why it failed',
    { ...done, answers: [], verdicts: [], outcomes: [], error: 'over_cap' },
    one,
    { baseline: null, candidates: {}, orders: [], outcome: null, outcomes: {}, assertions: {}, error: 'over_cap' },
  ],
  [
    'a step of a run, and tools',
    {
      ...done,
      logId: null,
      traceId: 'run-1',
      stepIndex: 3,
      repetition: 2,
      prompt: { messages: [], tools: [call], responseFormat: null },
    },
    one,
    { log_id: null, trace_id: 'run-1', step_index: 3, repetition: 2, prompt: { messages: [], tools: [call] } },
  ],
  ['the reference', { ...done, reference: reply('4') }, one, { reference: '4' }],
])('shows %s', (_case, sample, view, shown) => {
  expect(EvalSample.parse(sampleReply(sample, view))).toMatchObject(shown)
})
