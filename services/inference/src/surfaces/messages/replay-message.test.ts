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

it('tells a message as the stream that makes it', () => {
  const { usage, ...message } = fullMessage
  const replayed = assembled(replayMessage(replyOf(fullMessage), charged))
  expect(replayed).toEqual({ ...message, usage: { ...usage, cost_usd: 0.000042 } })
})

it('keeps citations, blocks of types of their own, and what belongs to the stop reason', () => {
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

it('tells what this exchange cost, whatever the kept one did, and our counts where there were none', () => {
  const kept = { ...fullMessage, usage: { ...fullMessage.usage, cost_usd: 1.5 } }
  const stream = replayMessage(replyOf(kept), { ...charged, chargedNano: 0n })
  expect(stream).not.toContain('1.5')
  expect(assembled(stream)).toMatchObject({ usage: { output_tokens: 89, cost_usd: 0 } })
  const { usage: _, ...unsaid } = fullMessage
  const counted = replayMessage(replyOf(unsaid), { usage: usageOf(7, 3), reported: false, chargedNano: 1_000n })
  expect(assembled(counted)).toMatchObject({ usage: { input_tokens: 7, output_tokens: 3, cost_usd: 0.000001 } })
})

it('begins with an empty message that has not stopped', () => {
  expect(readFrames(replayMessage(replyOf(fullMessage), charged))[0]?.data).toEqual({
    type: 'message_start',
    message: { ...fullMessage, content: [], stop_reason: null, usage: { ...fullMessage.usage, output_tokens: 0 } },
  })
})

it('stands a reply that is no message', () => {
  expect(() => replayMessage({ bytes: Buffer.from('[]') }, charged)).not.toThrow()
  expect(() => replayMessage(replyOf({ content: [1, null, 'x'], usage: [] }), charged)).not.toThrow()
})

it('keeps every digit of a call`s input, and so does what is put together of it', () => {
  const input = '{"id":12345678901234567890,"ratio":1.0}'
  const content = [{ type: 'tool_use', id: 't', name: 'n', input: 'X' }]
  const bytes = Buffer.from(JSON.stringify({ ...fullMessage, content }).replace('"X"', input))
  const stream = replayMessage({ bytes }, charged)
  expect(stream).toContain(JSON.stringify(input))
  const tracker = createMessagesTracker()
  for (const event of eventsOf(stream)) tracker.accept(event)
  expect(String(tracker.assemble())).toContain(`"input":${input}`)
})
