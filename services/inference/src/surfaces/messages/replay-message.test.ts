import { readObject } from '../../wire/chat/read-reply.ts'
import { charged, eventsOf, fullMessage, readFrames, usageOf } from '../../wire/messages/message-streams.fixture.ts'
import { createMessagesTracker } from './messages-tracker.ts'
import { replayMessage } from './replay-message.ts'

const replyOf = (message: object) => ({ bytes: Buffer.from(JSON.stringify(message)) })

function assembled(stream: string) {
  const tracker = createMessagesTracker()
  for (const event of eventsOf(stream)) tracker.accept(event)
  return readObject(tracker.assemble() ?? Buffer.alloc(0))?.body
}

it('writes a stream from which the message is assembled', () => {
  const { usage, ...message } = fullMessage
  const replayed = assembled(replayMessage(replyOf(fullMessage), charged))
  expect(replayed).toEqual({ ...message, usage: { ...usage, cost_usd: 0.000042 } })
})

it('includes citations, blocks of unknown types, and the members beside the stop reason', () => {
  const content = [
    { type: 'text', text: 'b', citations: [{ cited_text: 'a' }] },
    { type: 'redacted_thinking', data: 'x' },
    { type: 'tool_use', id: 't', name: 'n', input: { a: [1, { b: null }] } },
  ]
  const message = { ...fullMessage, content, stop_reason: 'refusal', stop_details: { type: 'refusal' } }
  expect(assembled(replayMessage(replyOf(message), charged))).toMatchObject({
    content,
    stop_reason: 'refusal',
    stop_details: { type: 'refusal' },
  })
})

it('states the cost of this exchange, not of the stored one, and the counted usage when there is none', () => {
  const stored = { ...fullMessage, usage: { ...fullMessage.usage, cost_usd: 1.5 } }
  const stream = replayMessage(replyOf(stored), { ...charged, chargedNano: 0n })
  expect(stream).not.toContain('1.5')
  expect(assembled(stream)).toMatchObject({ usage: { output_tokens: 89, cost_usd: 0 } })
  const { usage: _, ...unsaid } = fullMessage
  const counted = replayMessage(replyOf(unsaid), { usage: usageOf(7, 3), isReported: false, chargedNano: 1_000n })
  expect(assembled(counted)).toMatchObject({ usage: { input_tokens: 7, output_tokens: 3, cost_usd: 0.000001 } })
})

it('begins with an empty message without a stop reason', () => {
  expect(readFrames(replayMessage(replyOf(fullMessage), charged))[0]?.data).toEqual({
    type: 'message_start',
    message: { ...fullMessage, content: [], stop_reason: null, usage: { ...fullMessage.usage, output_tokens: 0 } },
  })
})

it('does not throw for a reply that is not a message', () => {
  expect(() => replayMessage({ bytes: Buffer.from('[]') }, charged)).not.toThrow()
  expect(() => replayMessage(replyOf({ content: [1, null, 'x'], usage: [] }), charged)).not.toThrow()
})

it('preserves every digit of a call`s input, also through assembly', () => {
  const input = '{"id":12345678901234567890,"ratio":1.0}'
  const content = [{ type: 'tool_use', id: 't', name: 'n', input: 'X' }]
  const bytes = Buffer.from(JSON.stringify({ ...fullMessage, content }).replace('"X"', input))
  const stream = replayMessage({ bytes }, charged)
  expect(stream).toContain(JSON.stringify(input))
  const tracker = createMessagesTracker()
  for (const event of eventsOf(stream)) tracker.accept(event)
  expect(String(tracker.assemble())).toContain(`"input":${input}`)
})
