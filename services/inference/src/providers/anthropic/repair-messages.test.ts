import { editTopLevel } from '@ratchet/service-kit/json/edit-json'
import { readObject } from '../../wire/chat/read-reply.ts'
import { repairMessages } from './repair-messages.ts'

const user = { role: 'user', content: 'So?' }
const enabled = { type: 'enabled', budget_tokens: 1_024 }
const unsigned = { type: 'thinking', thinking: 'Hm.', signature: '' }
const signed = { ...unsigned, signature: 'c2ln' }
const text = { type: 'text', text: 'Fog.' }
const call = (id: string) => ({ type: 'tool_use', id, name: 'now', input: {} })
const result = (id: string) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id }] })
const assistant = (...content: object[]) => ({ role: 'assistant', content })

function repairText(json: string): string {
  const bytes = Buffer.from(json)
  const read = readObject(bytes)
  if (read === null) throw new Error('not a JSON object')
  return editTopLevel(bytes, read.scan, repairMessages({ bytes, ...read })).toString()
}
const repair = (body: object) => JSON.parse(repairText(JSON.stringify(body)))

it('leaves a conversation of Anthropic`s own unchanged', () => {
  const messages = [user, assistant(signed, call('toolu_1')), result('toolu_1'), assistant(call('toolu_2'))]
  const body = JSON.stringify({ thinking: enabled, messages: [...messages, result('toolu_2')] }, null, 1)
  expect(repairText(body)).toBe(body)
})

it('removes unsigned thinking, and messages that had nothing else', () => {
  expect(repair({ messages: [user, assistant(unsigned, text), user, assistant(unsigned), user] })).toEqual({
    messages: [user, assistant(text), user, user],
  })
})

it('cleans the ids of calls and of their results alike, and keeps them distinct', () => {
  const { messages } = repair({
    messages: [
      user,
      assistant(call('a:0'), call('a.0')),
      { role: 'user', content: [...result('a:0').content, ...result('a.0').content] },
    ],
  })
  const ids = messages[1].content.map(({ id }: { id: string }) => id)
  expect(ids).toEqual([expect.stringMatching(/^[\w-]+$/), expect.stringMatching(/^[\w-]+$/)])
  expect(new Set(ids).size).toBe(2)
  expect(messages[2].content.map((block: { tool_use_id: string }) => block.tool_use_id)).toEqual(ids)
})

it('removes the signature of Google from a call', () => {
  const extra_content = { google: { thought_signature: 'AY89' } }
  expect(repair({ messages: [user, assistant({ ...call('a'), extra_content }), result('a')] })).toEqual({
    messages: [user, assistant(call('a')), result('a')],
  })
})

it('preserves every digit in what it rewrites', () => {
  const input = '{"id":12345678901234567890,"ratio":1.0}'
  const body = `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a:0","input":${input}}]}],"x":1.0}`
  expect(repairText(body)).toContain(input)
  expect(repairText(body)).toMatch(/"x":1\.0}$/)
})

it('removes the thinking of a turn that began without it, and no other', () => {
  const foreign = [user, assistant(unsigned, call('a')), result('a')]
  expect(repair({ thinking: enabled, messages: foreign })).not.toHaveProperty('thinking')
  const split = [user, assistant(call('a')), result('a'), user]
  expect(repair({ thinking: enabled, messages: split })).not.toHaveProperty('thinking')
  expect(repair({ thinking: enabled, messages: [...foreign, assistant(text), user] })).toMatchObject({
    thinking: enabled,
  })
  const adaptive = { type: 'adaptive' }
  expect(repair({ thinking: adaptive, messages: foreign })).toMatchObject({ thinking: adaptive })
})

it.each([{}, { messages: 'x' }, { messages: [null, { content: [null, 7] }, { role: 'user', content: 7 }] }])(
  'changes nothing of %j',
  (body) => {
    expect(repair(body)).toEqual(body)
  },
)
