import fc from 'fast-check'
import { exampleLine, pairLine } from './examples.fixture.ts'
import { readExample } from './read-example.ts'

const count = (text: string) => text.length
const method = fc.constantFrom('supervised', 'dpo')

describe('readExample', () => {
  it('accepts or refuses any text', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify(value)),
    )
    fc.assert(
      fc.property(anyText, method, (text, each) => {
        const read = readExample(text, each, count)
        if (read.kind === 'invalid') expect(read.message.length).toBeLessThanOrEqual(300)
        else expect(read.tokens).toBeGreaterThan(0)
      }),
    )
  })

  it('accepts or refuses any messages', () => {
    const role = fc.constantFrom('system', 'user', 'assistant', 'tool', 'other')
    const content = fc.oneof(fc.string({ unit: 'binary' }), fc.constant(null), fc.jsonValue())
    const message = fc.record({ role, content, weight: fc.constantFrom(0, 1, 2, undefined) })
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), method, (messages, each) => {
        const pair = {
          input: { messages },
          preferred_output: messages.slice(-1),
          non_preferred_output: messages.slice(-1),
        }
        const read = readExample(JSON.stringify(each === 'dpo' ? pair : { messages }), each, count)
        if (read.kind === 'example') expect(read.longest).toBeLessThanOrEqual(read.tokens)
      }),
    )
  })

  it('recognises equal examples, equal prompts, and conversations with one beginning', () => {
    const read = (text: string) => {
      const example = readExample(text, 'supervised', count)
      if (example.kind === 'invalid') throw new Error(example.message)
      return example
    }
    const [one, same, other] = [exampleLine('Hi?'), exampleLine('Hi?'), exampleLine('Hi?', 'No.')].map(read)
    expect(same).toEqual(one)
    expect([other?.key === one?.key, other?.promptKey === one?.promptKey]).toEqual([false, true])
    const longer = read(
      JSON.stringify({
        messages: [
          { role: 'user', content: 'Hi?' },
          { role: 'assistant', content: 'Yes.' },
          { role: 'user', content: 'And now?' },
          { role: 'assistant', content: 'Still yes.' },
        ],
      }),
    )
    expect([longer.rootKey === one?.rootKey, longer.promptKey === one?.promptKey]).toEqual([true, false])
  })

  it('does not count weights', () => {
    const weighted = JSON.stringify({
      messages: [
        { role: 'user', content: 'Hi?' },
        { role: 'assistant', content: 'Yes.', weight: 1 },
      ],
    })
    expect(readExample(weighted, 'supervised', count)).toMatchObject(
      tokensOf(readExample(exampleLine('Hi?'), 'supervised', count)),
    )
  })

  it('finds nothing to learn in equal answers', () => {
    expect(readExample(pairLine('Hi?', 'Yes.', 'Yes.'), 'dpo', count)).toMatchObject({ isEmpty: true })
  })
})

function tokensOf(read: object): object {
  return { tokens: (read as { readonly tokens?: number }).tokens }
}
