import fc from 'fast-check'
import { createJsonEnd } from './json-end.ts'

it('is reached with the last brace of an object, wherever its text is cut', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.nat(200)), (object, cuts) => {
      const text = JSON.stringify(object)
      const end = createJsonEnd()
      const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length - 1]
      for (const [index, from] of places.entries()) end.push(text.slice(from, places[index + 1] ?? text.length - 1))
      expect(end.reached).toBe(false)
      end.push('}')
      expect(end.reached).toBe(true)
      end.push('  {"more":1')
      expect(end.reached).toBe(true)
    }),
  )
})

it.each(['', ' ', '{"a":"}"', '{"a":"\\"}"', '{"a":{}', '[1]'])('is not reached by %j', (text) => {
  const end = createJsonEnd()
  end.push(text)
  expect(end.reached).toBe(false)
})
