import { blindConversation } from './blind-conversation.ts'
import { blindMessages, type Message } from './blind-messages.ts'

const asked = { name: 'weather', arguments: '{"city":"Oslo"}' }
/** A call of a tool, its result and the answer, as two providers send them. */
const ofOne = [
  { role: 'user', content: 'Rain?' },
  { role: 'assistant', content: null, refusal: null, annotations: [], tool_calls: [call('call_8Xk2', {})] },
  { role: 'tool', content: 'rain', tool_call_id: 'call_8Xk2' },
  { role: 'assistant', content: 'Yes.', refusal: null, annotations: [], audio: null },
]
const ofOther = [
  { role: 'user', content: 'Rain?' },
  { role: 'assistant', content: '', reasoning_content: 'Hm.', tool_calls: [call('toolu_01', { index: 0 })] },
  { role: 'tool', content: 'rain', tool_call_id: 'toolu_01' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'x' },
      { type: 'text', text: 'Yes.', citations: null },
    ],
    reasoning_details: [{ type: 'reasoning.text' }],
  },
]

/** All messages; the last one is the response. */
function blind(conversation: readonly Message[]): readonly Message[] {
  const { messages, response } = blindMessages(conversation.slice(0, -1), conversation.at(-1) ?? {})
  return [...messages, response]
}

function call(id: string, more: object) {
  return { id, type: 'function', function: asked, ...more }
}

it('gives the messages of two providers the same form', () => {
  const expected = [
    { role: 'user', content: 'Rain?' },
    { role: 'assistant', content: '', tool_calls: [{ id: 'call_1', type: 'function', function: asked }] },
    { role: 'tool', content: 'rain', tool_call_id: 'call_1' },
    { role: 'assistant', content: 'Yes.' },
  ]
  expect(blind(ofOne)).toEqual(expected)
  expect(blind(ofOther)).toEqual(expected)
})

it('matches each result with its call, also where ids are used again or missing', () => {
  const turn = [
    { role: 'assistant', content: '', tool_calls: [call('0', {}), call('1', {})] },
    { role: 'tool', content: 'b', tool_call_id: '1' },
    { role: 'tool', content: 'a', tool_call_id: '0' },
  ]
  const ids = blind([...turn, ...turn, { role: 'tool', content: 'c', tool_call_id: 'lost' }])
    .map(({ tool_call_id: id }) => id)
    .filter((id) => id !== undefined)
  expect(ids).toEqual(['call_2', 'call_1', 'call_4', 'call_3', 'call_5'])
})

it('keeps a refusal as text, names and the parts of what was asked', () => {
  const picture = [{ type: 'image_url', image_url: { url: 'data:,' } }]
  expect(
    blind([
      { role: 'user', name: 'Ada', content: picture },
      { role: 'assistant', content: null, refusal: 'No.' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    ]),
  ).toEqual([
    { role: 'user', name: 'Ada', content: picture },
    { role: 'assistant', content: 'No.' },
    { role: 'assistant', content: 'No.' },
  ])
})

it('keeps the digits of numbers, also when the messages are read from the log', async () => {
  const content = '[{"type":"json","value":12345678901234567890},{"type":"json","value":1.0}]'
  const texts = { messages: `[{"role":"user","content":${content}}]`, response: '{"role":"assistant","content":"ok"}' }
  const exchange = { id: 'log_1', redactionKinds: [] }
  const reads = { contents: async () => new Map([[exchange.id, texts]]) }
  const named = { thing: 'log entry', param: 'id' }
  const blind = await blindConversation(reads as never, { workspaceId: 'w' } as never, exchange as never, named)
  expect(JSON.stringify(blind.messages)).toContain(content)
})
