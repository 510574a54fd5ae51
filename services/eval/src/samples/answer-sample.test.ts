import type { EvalAssertion } from '@ratchet/contracts/evals'
import { scriptedInference } from '@ratchet/judge-kit/fleet/scripted-inference.fixture'
import { evalRequest, leasedSample, newEval, reply } from '../runs/eval.fixture.ts'
import { createAnswerSample } from './answer-sample.ts'
import { modelsAnswering } from './evaluated-work.fixture.ts'

const now = () => new Date('2026-11-21T12:00:00Z')
const assertions: EvalAssertion[] = [{ type: 'tool_called', value: 'add' }, { type: 'no_tool_call' }]
const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{}' } }
const sample = leasedSample({ run: newEval({ request: evalRequest({ assertions }) }) })
const stored = {
  ...sample,
  run: newEval({
    request: evalRequest({ assertions, baseline_model: 'logged', sample_filters: { trace_replay: true } }),
  }),
}

describe('an answer', () => {
  it('is the unchanged message, checked against the assertions', async () => {
    const answer = createAnswerSample({ inference: modelsAnswering({ 'sim/large': 'Four.' }), now })
    expect(await answer(sample, 1)).toEqual({
      modelIndex: 1,
      message: reply('Four.'),
      error: null,
      isRecorded: false,
      costNano: 7_000n,
      latencyMs: null,
      assertions: { 'tool_called:add': false, no_tool_call: true },
    })
  })

  it.each([null, '', [{ type: 'text', text: 'Four.' }]])('may be %j', async (content) => {
    const answer = createAnswerSample({ inference: modelsAnswering({ 'sim/large': { content } }), now })
    expect(await answer(sample, 1)).toMatchObject({ message: { role: 'assistant', content }, error: null })
  })

  it('is requested with the parameter name that the model supports', async () => {
    const inference = scriptedInference({ answer: () => 'x', model: { owned_by: 'openai' } })
    const run = newEval({ request: evalRequest({ params: { max_tokens: 9, temperature: 0.5 } }) })
    await createAnswerSample({ inference, now })({ ...sample, run }, 0)
    expect(inference.calls[0]?.body).toMatchObject({ model: 'sim/medium', max_completion_tokens: 9, temperature: 0.5 })
  })
})

describe('a stored answer', () => {
  const answer = createAnswerSample({ inference: modelsAnswering(), now })

  it('is checked against the assertions, with its recorded cost and latency', async () => {
    const reference = { ...reply(''), tool_calls: [call] }
    expect(await answer({ ...stored, reference }, 0)).toEqual({
      modelIndex: 0,
      message: reference,
      error: null,
      isRecorded: true,
      costNano: 3_000n,
      latencyMs: 120,
      assertions: { 'tool_called:add': true, no_tool_call: false },
    })
  })

  it.each([null, { costNano: null, latencyMs: null }])('may have an unknown cost: %j', async (recorded) => {
    expect(await answer({ ...stored, recorded }, 0)).toMatchObject({
      costNano: null,
      latencyMs: null,
      isRecorded: true,
    })
  })

  it('replaces only the baseline', async () => {
    expect(await answer(stored, 1)).toMatchObject({ isRecorded: false, costNano: 7_000n })
  })
})
