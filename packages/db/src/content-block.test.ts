import fc from 'fast-check'
import { decodeBlock, encodeBlock } from './content-block.ts'

const text = fc.string({ unit: 'grapheme' }).map((value) => value.toWellFormed())
const orNull = fc.option(text)
const entry = fc.record({
  id: fc.uuid(),
  content: fc.record({ messages: text, response: text, tools: orNull, responseFormat: orNull, params: text }),
})
const entries = fc.uniqueArray(entry, { selector: ({ id }) => id, maxLength: 10 })

it('has the contents of its exchanges, all of them or only one', () => {
  fc.assert(
    fc.property(entries, fc.nat(), (all, place) => {
      const block = encodeBlock(all)
      expect(decodeBlock(block)).toEqual(all)
      const one = all.slice(place % 10, (place % 10) + 1)
      expect(decodeBlock(block, (id) => id === one[0]?.id)).toEqual(one)
    }),
  )
})

it('takes a fraction of what its exchanges take alone', () => {
  const prompt = 'You are the support assistant of Acme. Answer politely, and never invent an order number. '.repeat(10)
  const all = Array.from({ length: 32 }, (_, index) => ({
    id: `00000000-0000-7000-8000-0000000000${String(index).padStart(2, '0')}`,
    content: { messages: `${prompt}${index}`, response: `${index}`, tools: null, responseFormat: null, params: '{}' },
  }))
  const alone = all.reduce((sum, each) => sum + encodeBlock([each]).length, 0)
  expect(encodeBlock(all).length).toBeLessThan(alone / 5)
})
