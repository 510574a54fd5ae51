import { parseExamples } from './parse-examples.ts'

const example = {
  messages: [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
  ],
}

it('parses one example in each step', () => {
  const steps = parseExamples([example, { messages: example.messages.slice(1) }])
  expect([steps.next(), steps.next()]).toEqual([{ done: false }, { done: false }])
  expect(steps.next()).toEqual({ done: true, value: [example, { messages: example.messages.slice(1) }] })
})

it('names the field of the first wrong example, after the steps before it', () => {
  const steps = parseExamples([example, { messages: [{ role: 'robot' }] }, 5])
  steps.next()
  expect(() => steps.next()).toThrow(expect.objectContaining({ param: 'examples.1.messages.0.role' }))
})
