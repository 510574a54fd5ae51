import { readExamples } from './read-examples.ts'

const example = JSON.stringify({
  messages: [
    { role: 'user', content: 'Why?' },
    { role: 'assistant', content: 'Because.' },
  ],
})

it('reads one example per line, and skips empty lines', () => {
  const read = readExamples(`${example}\r\n\n${example}\n`)
  expect(read).toMatchObject({ kind: 'read', examples: [{ messages: [{ content: 'Why?' }, {}] }, {}] })
})

it('reads prompts, which end before the reply', () => {
  const prompt = JSON.stringify({ messages: [{ role: 'user', content: 'Why?' }] })
  expect(readExamples(prompt, 'prompts')).toMatchObject({
    kind: 'read',
    examples: [{ messages: [{ content: 'Why?' }] }],
  })
  expect(readExamples(example, 'prompts')).toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining('Line 1'),
  })
  expect(readExamples(prompt)).toMatchObject({ kind: 'invalid' })
})

it.each([
  ['{', /^Line 1 is not JSON/],
  [`${example}\n{"messages":[]}`, /^Line 2, messages/],
  ['', /no example/],
])('names the line of what is wrong in %j', (text, message) => {
  expect(readExamples(text)).toMatchObject({ kind: 'invalid', message: expect.stringMatching(message) })
})
