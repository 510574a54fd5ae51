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

it.each([
  ['{', /^Line 1 is not JSON/],
  [`${example}\n{"messages":[]}`, /^Line 2, messages/],
  ['', /no example/],
])('names the line of what is wrong in %j', (text, message) => {
  expect(readExamples(text)).toMatchObject({ kind: 'invalid', message: expect.stringMatching(message) })
})
