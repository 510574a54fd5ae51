import type { WrittenTurn } from '../calls/call.ts'
import { noUsage } from '../calls/call-money.ts'
import { conversationOf } from './conversation.ts'

const turn = (role: WrittenTurn['role'], text: string, from: number, to: number, more: Partial<WrittenTurn> = {}) => ({
  index: 0,
  role,
  text,
  startMs: from,
  endMs: to,
  isInterrupted: false,
  playedMs: null,
  latency: null,
  ...more,
})

const spec = {
  system_prompt: 'You work for {{company}}. The code is {{code}}.',
  model: 'sim/assistant',
  variables: [
    { name: 'company', default: null, required: false, secret: false },
    { name: 'code', default: null, required: false, secret: true },
  ],
}
const call = (endedReason: 'caller_hangup' | null = 'caller_hangup') => ({
  variables: { company: 'Example' },
  endedReason,
  usage: { ...noUsage, answeredMs: 61_400 },
})

it('shows what was heard, with tools, interruptions, silence and the end', () => {
  const tool = { id: 'c1', name: 'find_order', arguments: '{"n":7}' }
  const turns = [
    turn('agent', 'Hello.', 0, 900),
    turn('caller', 'Where is my order?', 4_000, 5_000),
    turn('tool', 'in Berlin', 5_100, 5_200, { call: tool }),
    turn('agent', 'It is in', 5_300, 6_000, { isInterrupted: true }),
  ]
  expect(conversationOf({ call: call(), spec, turns })).toEqual({
    messages: [
      { role: 'system', content: 'You work for Example. The code is [secret].' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: '[3.1 s of silence] Where is my order?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find_order', arguments: '{"n":7}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'in Berlin' },
    ],
    response: { role: 'assistant', content: 'It is in [interrupted] [The call ended after 61 s: caller_hangup.]' },
    model: 'sim/assistant',
  })
})

it('ends with the end of the call also when the caller spoke last', () => {
  const { messages, response } = conversationOf({ call: call(), spec, turns: [turn('caller', 'Bye.', 0, 500)] })
  expect(messages.at(-1)).toEqual({ role: 'user', content: 'Bye.' })
  expect(response).toEqual({ role: 'assistant', content: '[The call ended after 61 s: caller_hangup.]' })
})
