import { instructionsOf } from './instructions-of.ts'

const system = { role: 'system', content: 'Be brief.' }
const developer = { role: 'developer', content: [{ type: 'text', text: 'No jokes.' }] }
const user = { role: 'user', content: 'Hi' }

it.each<[string, Parameters<typeof instructionsOf>, readonly unknown[]]>([
  ['the leading messages of chat', ['chat', { messages: [system, developer, user, system] }], [system, developer]],
  ['all messages of chat', ['chat', { messages: [system] }], [system]],
  ['none without a leading one', ['chat', { messages: [user, system] }], []],
  ['none of a body that is not one', ['chat', { messages: 'x' }], []],
  ['the system text of messages', ['messages', { system: 'Be brief.', messages: [user] }], [system]],
  [
    'the system blocks of messages',
    ['messages', { system: [{ type: 'text', text: 'Be brief.' }] }],
    [{ role: 'system', content: [{ type: 'text', text: 'Be brief.' }] }],
  ],
  ['none of messages', ['messages', { messages: [user] }], []],
  ['the instructions of responses', ['responses', { instructions: 'Be brief.', input: 'Hi' }], [system]],
  [
    'the instructions and leading items of responses',
    ['responses', { instructions: 'Be brief.', input: [developer, user] }],
    [system, developer],
  ],
  ['none of embeddings', ['embeddings', { input: 'Hi' }], []],
])('reads %s', (_case, [dialect, body], expected) => {
  expect(instructionsOf(dialect, body)).toEqual(expected)
})
