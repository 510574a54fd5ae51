import fc from 'fast-check'
import { measureJson } from './measure-json.ts'

it.each([
  ['', { depth: 0, parts: 0 }],
  ['1', { depth: 0, parts: 0 }],
  ['[]', { depth: 1, parts: 1 }],
  ['[{"a":[]},{}]', { depth: 3, parts: 5 }],
  ['{"[{,":"\\"[{,","\\\\":[1,2]}', { depth: 2, parts: 4 }],
  ['"[[[[', { depth: 0, parts: 0 }],
  ['['.repeat(1_000_000), { depth: 1_000_000, parts: 1_000_000 }],
])('measures a text like %.40s', (text, expected) => {
  expect(measureJson(text)).toEqual(expected)
})

it('measures what JSON.parse reads, of any value', () => {
  const sizeOf = (value: unknown): { depth: number; parts: number } => {
    if (typeof value !== 'object' || value === null) return { depth: 0, parts: 0 }
    const members = Object.values(value).map(sizeOf)
    return {
      depth: 1 + Math.max(0, ...members.map(({ depth }) => depth)),
      parts: 1 + Math.max(0, members.length - 1) + members.reduce((sum, { parts }) => sum + parts, 0),
    }
  }
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(0, 2), (json, indent) => {
      const value = JSON.parse(json)
      expect(measureJson(JSON.stringify(value, null, indent))).toEqual(sizeOf(value))
    }),
  )
})
