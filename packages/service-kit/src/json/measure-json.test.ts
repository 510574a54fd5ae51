import fc from 'fast-check'
import { measureJson } from './measure-json.ts'

it.each([
  ['', { depth: 0, commas: 0 }],
  ['1', { depth: 0, commas: 0 }],
  ['[]', { depth: 1, commas: 0 }],
  ['[{"a":[]},{}]', { depth: 3, commas: 1 }],
  ['{"[{,":"\\"[{,","\\\\":[1,2]}', { depth: 2, commas: 2 }],
  ['"[[[[', { depth: 0, commas: 0 }],
  ['['.repeat(1_000_000), { depth: 1_000_000, commas: 0 }],
])('measures a text like %.40s', (text, expected) => {
  expect(measureJson(text)).toEqual(expected)
})

it('measures what JSON.parse reads, of any value', () => {
  const sizeOf = (value: unknown): { depth: number; commas: number } => {
    if (typeof value !== 'object' || value === null) return { depth: 0, commas: 0 }
    const members = Object.values(value).map(sizeOf)
    return {
      depth: 1 + Math.max(0, ...members.map(({ depth }) => depth)),
      commas: Math.max(0, members.length - 1) + members.reduce((sum, { commas }) => sum + commas, 0),
    }
  }
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(0, 2), (json, indent) => {
      const value = JSON.parse(json)
      expect(measureJson(JSON.stringify(value, null, indent))).toEqual(sizeOf(value))
    }),
  )
})
