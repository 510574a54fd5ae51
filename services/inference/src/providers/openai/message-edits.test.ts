import { messageEdits } from './message-edits.ts'

const user = { role: 'user', content: 'hi' }

describe('messageEdits', () => {
  it('leaves messages unchanged that contain nothing of another provider', () => {
    expect(messageEdits([user, { role: 'assistant', content: 'a', refusal: null, annotations: [] }])).toEqual({})
  })

  it.each([undefined, null, 'x', [null, 7, 'x'], [{ role: 'user', tool_calls: 'x' }]])('accepts %j', (messages) => {
    expect(messageEdits(messages)).toEqual({})
  })

  it('removes the members that another provider added to messages and tool calls', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"n":1}' } }
    const signed = { ...call, extra_content: { google: { thought_signature: 's' } } }
    const answer = { role: 'assistant', content: null, refusal: null }
    const edits = messageEdits([user, { ...answer, reasoning_content: 'hm', tool_calls: [signed, call] }])
    expect(JSON.parse(String(edits.messages))).toEqual([user, { ...answer, tool_calls: [call, call] }])
  })
})
