import { AnsweredExample } from './training-example.ts'

const user = { role: 'user', content: 'q' }
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }

it.each([
  ['a conversation', { messages: [user, { role: 'assistant', content: 'a', weight: 1 }] }],
  [
    'a reply that only calls a tool',
    { messages: [user, { role: 'assistant', content: null, tool_calls: [call] }], tools: [{}] },
  ],
  [
    'unknown members of messages',
    {
      messages: [
        { ...user, name: 'ann', x: 1 },
        { role: 'assistant', content: 'a' },
      ],
    },
  ],
])('takes %s', (_what, example) => {
  expect(AnsweredExample.parse(example)).toEqual(example)
})

it.each([
  ['no messages', { messages: [] }, 'messages'],
  ['a reply that is not last', { messages: [{ role: 'assistant', content: 'a' }, user] }, 'messages.1'],
  ['an empty reply', { messages: [user, { role: 'assistant', content: ' ' }] }, 'messages.1'],
  ['a weight between', { messages: [user, { role: 'assistant', content: 'a', weight: 0.5 }] }, 'messages.1.weight'],
  ['unknown members', { messages: [{ role: 'assistant', content: 'a' }], prompt: 'x' }, ''],
])('refuses %s', (_what, example, path) => {
  expect(AnsweredExample.safeParse(example).error?.issues[0]?.path.join('.')).toBe(path)
})
