import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { createSseReader } from '@ratchet/service-kit/sse/read-events'
import fc from 'fast-check'
import { modelOf } from '../../catalog/catalog.fixture.ts'
import { replyLimits } from '../../wire/chat/read-reply.ts'
import type { ProviderRequest } from '../../wire/provider.ts'
import { noUsage } from '../../wire/usage.ts'
import type { AnswerContext } from '../surface.ts'
import { createChatStreamTracker } from './chat-tracker.ts'
import { checkChatRequest } from './check-chat-request.ts'
import { replayChat } from './replay-chat.ts'

function contextOf(includeUsage: boolean): AnswerContext {
  const options = { stream: true, stream_options: { include_usage: includeUsage } }
  const checked = checkChatRequest({ model: 'm', messages: [{ role: 'user' }], ...options })
  if (!checked.ok) throw new Error(checked.message)
  return { request: { model: modelOf() } as ProviderRequest, facts: checked.facts, created: 1_700_000_000 }
}

function replay(completion: object, { includeUsage = true, chargedNano = 0n } = {}): string {
  const bytes = Buffer.from(JSON.stringify(completion))
  const scan = scanJson(bytes, replyLimits)
  if (!scan.ok) throw new Error(scan.reason)
  return replayChat({ bytes, scan }, { usage: noUsage, isReported: true, chargedNano }, contextOf(includeUsage))
}

/** The completion that a reader assembles from the stream. */
function assemble(stream: string): unknown {
  const reader = createSseReader({ maxEventBytes: 10_000_000 })
  const tracker = createChatStreamTracker(contextOf(true))
  const verdicts = reader.push(Buffer.from(stream)).map((event) => tracker.accept(event))
  expect(verdicts).not.toContain('malformed')
  expect(verdicts).not.toContain('error')
  expect([tracker.done, tracker.finished]).toEqual([true, true])
  return JSON.parse(String(tracker.assemble()))
}

const text = fc.oneof(fc.string({ minLength: 1 }), fc.string({ unit: 'binary', minLength: 1 }))
const call = fc.record({
  id: fc.string({ minLength: 1 }),
  type: fc.constant('function'),
  function: fc.record({ name: text, arguments: fc.json() }),
})
const token = fc.record({ token: text, logprob: fc.double({ max: -1e-9, noNaN: true, noDefaultInfinity: true }) })
const message = fc.oneof(
  fc.record({ role: fc.constant('assistant'), content: text, refusal: fc.constant(null) }),
  fc.record({ role: fc.constant('assistant'), content: fc.constant(null), refusal: text }),
  fc.record({ role: fc.constant('assistant'), content: text, refusal: fc.constant(null), reasoning_content: text }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.option(text),
    refusal: fc.constant(null),
    tool_calls: fc.array(call, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    role: fc.constant('assistant'),
    content: text,
    refusal: fc.constant(null),
    annotations: fc.array(fc.record({ type: fc.constant('url_citation'), start: fc.nat() }), { minLength: 1 }),
  }),
)
const reason = fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter')
const logprobs = fc.option(
  fc.record({ content: fc.array(token, { minLength: 1, maxLength: 3 }), refusal: fc.constant(null) }),
)
const choice = fc.record({ message, logprobs, finish_reason: reason })
const completion = fc
  .record({
    id: fc.string({ minLength: 1 }),
    created: fc.nat(),
    model: fc.string({ minLength: 1 }),
    system_fingerprint: fc.string(),
    choices: fc.array(choice, { minLength: 1, maxLength: 4 }),
    usage: fc.record({ prompt_tokens: fc.nat(1_000), completion_tokens: fc.nat(1_000) }),
  })
  .map(({ choices, ...rest }) => ({
    ...rest,
    object: 'chat.completion',
    choices: choices.map((each, index) => ({ index, ...each })),
  }))

describe('replayChat', () => {
  it('replays any completion as a stream from which the same completion is assembled', () => {
    fc.assert(
      fc.property(completion, (whole) => {
        const { usage, ...rest } = assemble(replay(whole)) as typeof whole
        expect({ ...rest, usage }).toEqual({ ...whole, usage: { ...whole.usage, cost_usd: 0 } })
      }),
      { numRuns: 300 },
    )
  })

  it('ends each choice with its reason, then sends usage with its cost if requested, then [DONE]', () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }]
    const usage = { prompt_tokens: 1, completion_tokens: 1 }
    const whole = { id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices, usage }
    const frames = (stream: string) => stream.split('\n\n').slice(0, -1)
    const reported = frames(replay(whole, { chargedNano: 2_000n }))
    const head = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' }
    expect(reported.slice(0, -1).map((frame) => JSON.parse(frame.slice('data: '.length)))).toEqual([
      { ...head, choices: [{ index: 0, delta: choices[0]?.message, logprobs: null, finish_reason: null }] },
      { ...head, choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }] },
      { ...head, choices: [], usage: { ...usage, cost_usd: 0.000002 } },
    ])
    expect(reported.at(-1)).toBe('data: [DONE]')
    expect(frames(replay(whole, { includeUsage: false }))).toEqual([...reported.slice(0, 2), 'data: [DONE]'])
  })

  it.each([{}, { choices: 'none' }, { choices: [7, null] }, { choices: [{ message: 'x', finish_reason: 3 }] }])(
    'never throws: %j',
    (rubbish) => {
      expect(replay(rubbish).endsWith('data: [DONE]\n\n')).toBe(true)
    },
  )
})
