import { readObject } from '../../wire/chat/read-reply.ts'
import { editTopLevel } from '../../wire/json/edit-json.ts'
import { mendMessages } from './repair-messages.ts'

const user = { role: 'user', content: 'So?' }
const enabled = { type: 'enabled', budget_tokens: 1_024 }
const unsigned = { type: 'thinking', thinking: 'Hm.', signature: '' }
const signed = { ...unsigned, signature: 'c2ln' }
const text = { type: 'text', text: 'Fog.' }
const call = (id: string) => ({ type: 'tool_use', id, name: 'now', input: {} })
const result = (id: string) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id }] })
const assistant = (...content: object[]) => ({ role: 'assistant', content })

function mendText(json: string): string {
  const bytes = Buffer.from(json)
  const read = readObject(bytes)
  if (read === null) throw new Error('not a JSON object')
  return editTopLevel(bytes, read.scan, mendMessages({ bytes, ...read })).toString()
}
const mend = (body: object) => JSON.parse(mendText(JSON.stringify(body)))

it('leaves a conversation of Anthropic`s own as it is, to the byte', () => {
  const messages = [user, assistant(signed, call('toolu_1')), result('toolu_1'), assistant(call('toolu_2'))]
  const body = JSON.stringify({ thinking: enabled, messages: [...messages, result('toolu_2')] }, null, 1)
  expect(mendText(body)).toBe(body)
})

it('leaves out thoughts that nobody signed, and what held nothing else', () => {
  expect(mend({ messages: [user, assistant(unsigned, text), user, assistant(unsigned), user] })).toEqual({
    messages: [user, assistant(text), user, user],
  })
})

it('cleans the ids of calls and their results alike, and keeps two of them two', () => {
  const { messages } = mend({
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

it('leaves out what Google signed a call with', () => {
  const extra_content = { google: { thought_signature: 'AY89' } }
  expect(mend({ messages: [user, assistant({ ...call('a'), extra_content }), result('a')] })).toEqual({
    messages: [user, assistant(call('a')), result('a')],
  })
})

it('keeps every digit of what it writes anew', () => {
  const input = '{"id":12345678901234567890,"ratio":1.0}'
  const body = `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a:0","input":${input}}]}],"x":1.0}`
  expect(mendText(body)).toContain(input)
  expect(mendText(body)).toMatch(/"x":1\.0}$/)
})

it('takes the thinking out of a turn that began without, and only there', () => {
  const foreign = [user, assistant(unsigned, call('a')), result('a')]
  expect(mend({ thinking: enabled, messages: foreign })).not.toHaveProperty('thinking')
  const split = [user, assistant(call('a')), result('a'), user]
  expect(mend({ thinking: enabled, messages: split })).not.toHaveProperty('thinking')
  expect(mend({ thinking: enabled, messages: [...foreign, assistant(text), user] })).toMatchObject({
    thinking: enabled,
  })
  const adaptive = { type: 'adaptive' }
  expect(mend({ thinking: adaptive, messages: foreign })).toMatchObject({ thinking: adaptive })
})

it.each([{}, { messages: 'x' }, { messages: [null, { content: [null, 7] }, { role: 'user', content: 7 }] }])(
  'changes nothing of %j',
  (body) => {
    expect(mend(body)).toEqual(body)
  },
)
