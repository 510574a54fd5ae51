import { TrainingExample } from '@ratchet/contracts/training-example'
import { evalSample } from './eval-sample.ts'

const messages = [
  { role: 'system', content: 'You look things up.' },
  { role: 'user', content: 'Where is my order?' },
] as never[]
const answer = { role: 'assistant', content: 'In the post.' } as never
const called = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{}' } }],
} as never
const tools = [{ type: 'function', function: { name: 'find' } }]

it.each([
  ['an answer', { messages, response: answer, tools: null }, { messages: [...messages, answer] }],
  ['a call of a tool', { messages, response: called, tools }, { messages: [...messages, called], tools }],
  ['no tool', { messages, response: answer, tools: [] }, { messages: [...messages, answer] }],
])('makes one line that a dataset takes, of %s', (_what, entry, line) => {
  const text = evalSample(entry)
  expect(text).not.toContain('\n')
  expect(JSON.parse(text)).toEqual(line)
  expect(TrainingExample.safeParse(JSON.parse(text)).success).toBe(true)
})
