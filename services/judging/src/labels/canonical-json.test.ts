import { canonicalJson } from './canonical-json.ts'

it.each([
  [{ b: 1, a: [{ d: null, c: 'x' }, 2] }, '{"a":[{"c":"x","d":null},2],"b":1}'],
  ['a "b"\n\ud800', '"a \\"b\\"\\n\\ud800"'],
  [[], '[]'],
  [{}, '{}'],
  [JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
])('writes %j with its members in order', (value, text) => {
  expect(canonicalJson(value)).toBe(text)
})

it('distinguishes values that differ in the order of a list or in type', () => {
  const values = [[1, 2], [2, 1], ['1', 2], { 0: 1, 1: 2 }, [[1], 2]]
  expect(new Set(values.map(canonicalJson)).size).toBe(values.length)
})

it('throws for a value that is nested too deeply, without a crash', () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  expect(() => canonicalJson(deep)).toThrow(RangeError)
})
