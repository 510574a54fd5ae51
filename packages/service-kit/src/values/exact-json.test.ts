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

/** Values as a reviver with the source of each number reads them. */
function slowly(text: string): unknown {
  type Revive = (key: string, value: unknown, context: { readonly source?: string }) => unknown
  const json = JSON as unknown as { parse(text: string, revive: Revive): unknown; rawJSON(text: string): unknown }
  return json.parse(text, (_key, value, { source }) =>
    typeof value !== 'number' || source === undefined || String(value) === source ? value : json.rawJSON(source),
  )
}

const outcomeOf = (read: (text: string) => unknown, text: string) => {
  try {
    return JSON.stringify(read(text))
  } catch (error) {
    return (error as Error).name
  }
}

it('reads and refuses what a reviver would, whatever the text is', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '1.0',
    '-0',
    '01',
    '1e400',
    '-',
    '2',
    ' ',
    'true',
    '\\',
    'e',
  ]
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''))
  const valid = fc.json().map((json) => json.replaceAll(/\b\d+\b/g, '1.0'))
  fc.assert(
    fc.property(fc.oneof(text, valid), (each) => {
      expect(outcomeOf(parseExact, each)).toBe(outcomeOf(slowly, each))
    }),
    { numRuns: 2_000 },
  )
})

it.each(['{"__proto__":1.0}', '{"a":{"__proto__":{"b":1.0}}}'])('keeps %s an object without that prototype', (text) => {
  const read = parseExact(text) as object
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  expect(JSON.stringify(read)).toBe(text)
})

/** CPU milliseconds. */
function timeOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

it('reads very many values, of which a few must stay as written, in less than half the time of a reviver', () => {
  const text = `[${'1.0,'.repeat(100)}${'1,'.repeat(300_000)}12345678901234567890]`
  expect(timeOf(() => parseExact(text))).toBeLessThan(timeOf(() => slowly(text)) / 2)
  expect(JSON.stringify(parseExact(text))).toBe(text)
})

it('keeps numbers at any depth', () => {
  const deep = `${'['.repeat(1_000)}1.0${']'.repeat(1_000)}`
  expect(JSON.stringify(parseExact(deep))).toBe(deep)
})

it('throws for what is not JSON', () => {
  expect(() => parseExact('{"a":1.}')).toThrow(SyntaxError)
})
