import { messageEdits } from './message-edits.ts'

const strict = { strictMessages: true, historyReasoning: null } as const
const user = { role: 'user', content: 'hi' }

describe('messageEdits', () => {
  it('leaves messages unchanged that contain nothing of another provider', () => {
    expect(messageEdits([user, { role: 'assistant', content: 'a', refusal: null, annotations: [] }], strict)).toEqual(
      {},
    )
  })

  it.each([undefined, null, 'x', [null, 7, 'x'], [{ role: 'user', tool_calls: 'x' }]])('accepts %j', (messages) => {
    expect(messageEdits(messages, strict)).toEqual({})
  })

  it('removes the members that another provider added to messages and tool calls', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"n":1}' } }
    const signed = { ...call, extra_content: { google: { thought_signature: 's' } } }
    const answer = { role: 'assistant', content: null, refusal: null }
    const edits = messageEdits([user, { ...answer, reasoning_content: 'hm', tool_calls: [signed, call] }], strict)
    expect(JSON.parse(String(edits.messages))).toEqual([user, { ...answer, tool_calls: [call, call] }])
  })

  it('leaves messages unchanged for a provider that takes the members of others', () => {
    const lax = { strictMessages: false, historyReasoning: 'reasoning_content' } as const
    expect(messageEdits([{ role: 'assistant', content: 'a', reasoning_content: 'hm' }], lax)).toEqual({})
  })

  it('renames reasoning for a provider that has another name for it', () => {
    const ollama = { strictMessages: false, historyReasoning: 'reasoning' } as const
    const answer = { role: 'assistant', content: 'a' }
    const edits = messageEdits([user, { ...answer, reasoning_content: 'hm' }], ollama)
    expect(JSON.parse(String(edits.messages))).toEqual([user, { ...answer, reasoning: 'hm' }])
    expect(messageEdits([user, { ...answer, reasoning: 'hm' }], ollama)).toEqual({})
  })

  it.each(['reasoning', 'reasoning_content'])('gives %s the provider`s name for it', (name) => {
    const cerebras = { strictMessages: true, historyReasoning: 'reasoning' } as const
    const edits = messageEdits([{ role: 'assistant', content: 'a', reasoning_details: [{}], [name]: 'hm' }], cerebras)
    expect(JSON.parse(String(edits.messages))).toEqual([{ role: 'assistant', content: 'a', reasoning: 'hm' }])
  })
})
