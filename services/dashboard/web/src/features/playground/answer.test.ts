import { type AnswerEvent, answerAfter, startedAnswer } from './answer.ts'

const part = (delta: unknown, atMs: number, more: object = {}): AnswerEvent => ({
  kind: 'part',
  part: { choices: [{ index: 0, delta, ...more }] },
  atMs,
})
const newAnswer = startedAnswer('playground-1')
const afterAll = (events: readonly AnswerEvent[]) => events.reduce(answerAfter, newAnswer)

it('joins the text, notes the first token, and takes tokens and cost of the last part', () => {
  const usage = { prompt_tokens: 9, completion_tokens: 4, cost_usd: 0.000021 }
  const answer = afterAll([
    { kind: 'head', head: { servedModel: 'sim/large', alias: 'support', fallbackFrom: null, isLogged: true } },
    part({ role: 'assistant', content: '' }, 40),
    part({ content: 'Hel' }, 60),
    part({ content: 'lo' }, 80),
    part({}, 90, { finish_reason: 'stop' }),
    { kind: 'part', part: { choices: [], usage }, atMs: 95 },
    { kind: 'end', state: 'done', atMs: 99 },
  ])
  expect(answer).toMatchObject({
    state: 'done',
    text: 'Hello',
    firstTokenMs: 60,
    tookMs: 99,
    finishReason: 'stop',
    tokens: { prompt: 9, completion: 4 },
    costUsd: 0.000021,
  })
})

it('joins calls of tools from their pieces', () => {
  const answer = afterAll([
    part({ tool_calls: [{ index: 0, function: { name: 'get', arguments: '{"a"' } }] }, 5),
    part({ tool_calls: [{ index: 1, function: { name: 'put', arguments: '{}' } }] }, 6),
    part({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }, 7),
  ])
  expect(answer.calls).toEqual([
    { name: 'get', input: '{"a":1}' },
    { name: 'put', input: '{}' },
  ])
  expect(answer.firstTokenMs).toBe(5)
})

it('keeps what had arrived when it fails or is stopped, and ignores what comes later', () => {
  const failed = afterAll([
    part({ content: 'Hel' }, 1),
    { kind: 'part', part: { error: { message: 'The provider failed.' } }, atMs: 2 },
    part({ content: 'lo' }, 3),
  ])
  expect(failed).toMatchObject({ state: 'failed', text: 'Hel', error: new Error('The provider failed.') })
  const stopped = afterAll([
    part({ content: 'Hel' }, 1),
    { kind: 'end', state: 'stopped', atMs: 2 },
    { kind: 'failed', error: new Error('aborted'), atMs: 3 },
  ])
  expect(stopped).toMatchObject({ state: 'stopped', text: 'Hel', error: null, tookMs: 2 })
})

it.each([null, 7, {}, { choices: 'x' }, { choices: [null], usage: { prompt_tokens: 'x' } }])(
  'reads no field that is not there: %p',
  (odd) => {
    expect(answerAfter(newAnswer, { kind: 'part', part: odd, atMs: 1 })).toEqual(newAnswer)
  },
)
