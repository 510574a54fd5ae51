import fc from 'fast-check'
import { isExactNumber, mayLoseDigits, parseExact } from './exact-json.ts'

const fragile = ['12345678901234567890', '9007199254740993', '1.0', '-0', '-0.0', '1e400', '1E2', '0.10000000000000001']

it.each(fragile)('writes %s as it was read, in every place', (number) => {
  for (const text of [number, `[${number}]`, `{"a":${number}}`, `{"a":[1,${number},"x"],"b":{"c":${number}}}`]) {
    expect(JSON.stringify(parseExact(text))).toBe(text)
  }
  expect(isExactNumber(parseExact(number))).toBe(true)
})

it.each(['0', '1', '-5', '{"a":[1,2,-30],"b":"x"}', '123456789012345'])('reads %s as JSON.parse does', (text) => {
  expect(mayLoseDigits(text)).toBe(false)
  expect(parseExact(text)).toEqual(JSON.parse(text))
})

it('has the values of JSON.parse', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (text) => {
      expect(JSON.parse(JSON.stringify(parseExact(text)))).toEqual(JSON.parse(text))
    }),
  )
})

it('throws for what is not JSON', () => {
  expect(() => parseExact('{"a":1.}')).toThrow(SyntaxError)
})
