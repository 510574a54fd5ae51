import { modelOf } from '../../catalog/catalog.fixture.ts'
import { convertRequest } from './convert-request.ts'

const budgeted = modelOf()
const adaptive = modelOf({ capabilities: ['chat', 'streaming', 'adaptive_thinking'] })

const user = { role: 'user', content: 'What is it like in Oslo?' }
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'Fog.' })
const calls = (id: string, more: object = {}) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'now', arguments: '{}' } }],
  ...more,
})
const format = 'anthropic-claude-v1'
const signed = { type: 'reasoning.text', text: 'Hm.', signature: 'c2ln', format, index: 0 }
const hidden = { type: 'reasoning.encrypted', data: 'EmwK', format, index: 1 }
const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }
const call = (id: string) => ({ type: 'tool_use', id, name: 'now', input: {} })

// biome-ignore lint/suspicious/noExplicitAny: the test asserts on the wire's own shape
function convert(messages: readonly object[], more: object = { reasoning_effort: 'low' }, model = budgeted): any {
  return convertRequest({ model, body: { model: 'acme/fast', messages, ...more }, stream: false })
}
const blocksOf = (converted: { messages: { role: string; content: object[] }[] }) =>
  converted.messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)

describe('a thinking budget', () => {
  it.each<[string, object[]]>([
    ['nothing was answered', [user]],
    ['the turn before was one without thought', [user, { role: 'assistant', content: 'Fog.' }, user]],
    ['a turn with calls is over', [user, calls('a'), result('a'), { role: 'assistant', content: 'Fog.' }, user]],
    ['the turn began with a thought', [user, calls('a', { reasoning_details: [signed] }), result('a')]],
    ['it began with a hidden one', [user, calls('a', { reasoning_details: [hidden] }), result('a')]],
    [
      'it began with a thought, and called twice',
      [user, calls('a', { reasoning_details: [signed] }), result('a'), calls('b'), result('b')],
    ],
  ])('is on when %s', (_when, messages) => {
    expect(convert(messages).thinking).toMatchObject({ type: 'enabled' })
  })

  it.each<[string, object[]]>([
    ['the turn under way began with a call', [user, calls('a'), result('a')]],
    ['it began with text', [user, calls('a', { content: 'Let me look.' }), result('a')]],
    ['its first call was without thought', [user, calls('a'), result('a'), calls('b'), result('b')]],
    [
      'its thought is another provider`s',
      [user, calls('a', { reasoning_details: [{ ...signed, format: 'openai-responses-v1' }] }), result('a')],
    ],
    [
      'its thought has no signature',
      [user, calls('a', { reasoning_details: [{ ...signed, signature: '' }] }), result('a')],
    ],
    ['the user says something beside the result', [user, calls('a'), result('a'), user]],
  ])('is off when %s', (_when, messages) => {
    for (const asked of [{ reasoning_effort: 'low' }, { thinking: { type: 'enabled', budget_tokens: 1_024 } }]) {
      expect(convert(messages, asked)).not.toHaveProperty('thinking')
    }
  })

  it('is not needed by a model with adaptive thinking', () => {
    const { thinking } = convert([user, calls('a'), result('a')], { reasoning_effort: 'low' }, adaptive)
    expect(thinking).toEqual({ type: 'adaptive' })
  })
})

describe('thinking that a client sends back', () => {
  const messages = [user, calls('a', { content: 'So.', reasoning_details: [signed, hidden] }), result('a')]

  it('comes first in its message, unchanged', () => {
    const said = [thought, { type: 'redacted_thinking', data: 'EmwK' }, { type: 'text', text: 'So.' }, call('a')]
    expect(blocksOf(convert(messages))).toEqual([said])
    expect(blocksOf(convert(messages, {}, adaptive))).toEqual([said])
  })

  it('is left out when thinking is disabled', () => {
    const said = [[{ type: 'text', text: 'So.' }, call('a')]]
    expect(blocksOf(convert(messages, {}))).toEqual(said)
    expect(blocksOf(convert(messages, { reasoning_effort: 'none' }, adaptive))).toEqual(said)
    const only = { role: 'assistant', content: '', reasoning_details: [signed] }
    expect(blocksOf(convert([user, only, user], {}))).toEqual([])
  })

  it.each([null, 'x', [null], [{ format }], [{ ...signed, text: 7 }], [{ ...hidden, data: '' }]])(
    'are none when they are %j',
    (reasoning_details) => {
      expect(blocksOf(convert([user, calls('a', { reasoning_details }), result('a')], {}, adaptive))).toEqual([
        [call('a')],
      ])
    },
  )
})

describe('an empty message', () => {
  it('is left out, also when it has only white space', () => {
    const system = { role: 'system', content: ' ' }
    const parts = [
      { type: 'text', text: '\n\n' },
      { type: 'text', text: 'Hi' },
    ]
    const said = [system, { role: 'user', content: parts }, calls('a', { content: '\n\n' }), result('a')]
    expect(convert(said, {})).toMatchObject({ messages: [{ content: [{ text: 'Hi' }] }, { content: [call('a')] }, {}] })
    expect(convert(said, {})).not.toHaveProperty('system')
  })

  it.each<[string, object[], string]>([
    ['all that is said', [{ role: 'user', content: ' ' }], 'messages.0.content'],
    ['all but the system', [{ role: 'system', content: 'Be brief.' }], 'messages'],
    [
      'what is said to an answer',
      [user, { role: 'assistant', content: 'Fog.' }, { role: 'user', content: '' }],
      'messages.2.content',
    ],
  ])('is refused when it is %s', (_what, messages, param) => {
    expect(() => convert(messages, {})).toThrow(expect.objectContaining({ code: 'invalid_request', param }))
  })

  it('is skipped between other messages', () => {
    const answer = { role: 'assistant', content: 'Fog.' }
    expect(convert([user, { role: 'user', content: null }], {}).messages).toHaveLength(1)
    expect(convert([{ role: 'user', content: null }, answer, user], {}).messages).toHaveLength(2)
  })
})
