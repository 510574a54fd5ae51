import { buildExample } from './build-example.ts'

const options = { includeTools: true, earlierTurnsWeight: 1 } as const
const tools = [{ type: 'function', function: { name: 'f' } }]
const user = { role: 'user', content: 'q' }

function built(
  exchange: { messages: unknown; response: unknown; tools?: unknown },
  changes: object = {},
  muted: number[] = [],
) {
  const line = buildExample({ tools: null, ...exchange }, { muted }, { ...options, ...changes })
  return line === null ? null : JSON.parse(line.text)
}

it('has the members that trainers read, and none that a provider or a client added', () => {
  const response = {
    role: 'assistant',
    content: 'a',
    refusal: null,
    annotations: [],
    reasoning_content: 'hm',
    audio: null,
    tool_calls: [],
  }
  const part = { type: 'text', text: 'q', cache_control: { type: 'ephemeral' } }
  expect(built({ messages: [{ role: 'user', content: [part], name: 'ann', extra: 1 }], response })).toEqual({
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'q' }], name: 'ann' },
      { role: 'assistant', content: 'a' },
    ],
  })
})

it('has tool calls and their results, and the tools if requested', () => {
  const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }]
  const result = { role: 'tool', tool_call_id: 'c', content: 'found' }
  const messages = [user, { role: 'assistant', tool_calls }, result]
  const exchange = { messages, response: { role: 'assistant', content: 'done' }, tools }
  expect(built(exchange)).toEqual({
    messages: [
      user,
      { role: 'assistant', content: null, tool_calls, weight: 1 },
      result,
      { role: 'assistant', content: 'done', weight: 1 },
    ],
    tools,
  })
  expect(built(exchange, { includeTools: false })).not.toHaveProperty('tools')
})

it('gives a weight to each of several answers: the requested one to earlier answers, 0 to muted ones, 1 to the last', () => {
  const answer = { role: 'assistant', content: 'a' }
  const exchange = { messages: [user, answer, user, answer, user], response: answer }
  const weights = (changes: object, muted: number[] = []) =>
    built(exchange, changes, muted).messages.map(({ weight }: { weight?: number }) => weight)
  expect(weights({})).toEqual([undefined, 1, undefined, 1, undefined, 1])
  expect(weights({}, [3])).toEqual([undefined, 1, undefined, 0, undefined, 1])
  expect(weights({ earlierTurnsWeight: 0 })).toEqual([undefined, 0, undefined, 0, undefined, 1])
})

it('returns null for content that is not a conversation', () => {
  expect(built({ messages: 'x', response: user })).toBeNull()
  expect(built({ messages: [], response: null })).toBeNull()
})
