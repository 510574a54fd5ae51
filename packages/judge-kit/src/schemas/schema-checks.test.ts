import { cpuMs } from '@ratchet/testing/cpu-time'
import { createSchemaChecks } from './schema-checks.ts'

const checks = createSchemaChecks()
const weather = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 1 }, days: { type: 'integer', maximum: 7 } },
  required: ['city'],
  additionalProperties: false,
}

describe('checks of values', () => {
  it.each([
    [{ city: 'Rome' }, null],
    [{ city: 'Rome', days: 3 }, null],
    [{}, { path: '', problem: "must have required property 'city'" }],
    [{ city: 7 }, { path: '/city', problem: 'must be string' }],
    [
      { city: 'Rome', days: 8 },
      { path: '/days', problem: 'must be <= 7' },
    ],
    [
      { city: 'Rome', country: 'IT' },
      { path: '', problem: 'must NOT have additional properties: country' },
    ],
  ])('say of %j: %j', (value, mismatch) => {
    expect(checks.problem(weather)).toBeNull()
    expect(checks.checkOf(weather)(value)).toEqual(mismatch)
  })

  it('know the keywords of 2020-12', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { pair: { prefixItems: [{ type: 'string' }, { $ref: '#/$defs/count' }], items: false } },
      unevaluatedProperties: false,
      $defs: { count: { type: 'integer', minimum: 0 } },
    }
    expect(checks.problem(schema)).toBeNull()
    const check = checks.checkOf(schema)
    expect([check({ pair: ['a', 1] }), check({ pair: ['a', -1] }), check({ other: 1 })]).toEqual([
      null,
      { path: '/pair/1', problem: 'must be >= 0' },
      { path: '', problem: 'must NOT have unevaluated properties: other' },
    ])
  })

  it('find a pattern anywhere in a text, unless it is anchored', () => {
    const patterned = (pattern: string) => checks.checkOf({ properties: { a: { type: 'string', pattern } } })
    expect(patterned('b+')({ a: 'abbc' })).toBeNull()
    expect(patterned('^b+$')({ a: 'abbc' })).toEqual({ path: '/a', problem: 'must match pattern "^b+$"' })
    expect(patterned('^(?:a|b)$')({ a: 'b' })).toBeNull()
  })
})

const copies = (count: number, schema: object) => Array.from({ length: count }, () => schema)

describe('schemas that are made to take long', () => {
  const texts = Array.from({ length: 1_990 }, (_, index) => [index])

  it.each([
    ['compare all items with each other, many times', { allOf: copies(100, { uniqueItems: true }) }, texts],
    ['have many values', { items: { enum: copies(1_900, [-1]) } }, [[-2]]],
    [
      'have a crowded pattern',
      {
        pattern: `^(?:${copies(250, {})
          .map(() => 'a')
          .join('|')})*$`,
      },
      'a'.repeat(16_000),
    ],
  ])('%s take moments', (_, schema, value) => {
    const parameters = { type: 'object', properties: { a: schema } }
    expect(checks.problem(parameters)).toBeNull()
    expect(cpuMs(() => checks.checkOf(parameters)({ a: value }))).toBeLessThan(1_000)
  })

  it.each([
    ['patterns', { allOf: copies(60, { pattern: '.' }) }],
    ['characters of patterns, written out', { allOf: copies(2, { pattern: '^.{250}$' }) }],
    [
      'names that are patterns',
      { patternProperties: Object.fromEntries(texts.slice(0, 60).map((id) => [`a${id}`, {}])) },
    ],
    ['values', { enum: copies(2_000, []) }],
  ])('may not have too many %s', (_, schema) => {
    expect(checks.problem(schema)).toContain('more than 500 parts')
  })

  it.each([
    ['allOf', copies(490, { minimum: 0 })],
    ['anyOf', copies(490, { type: 'null' })],
    ['oneOf', Array.from({ length: 490 }, (_, n) => ({ const: n }))],
    ['properties', Object.fromEntries(Array.from({ length: 490 }, (_, n) => [`p${n}`, { type: 'string' }]))],
  ])('are compiled in moments with as much %s as they may have', (keyword, schemas) => {
    expect(cpuMs(() => expect(createSchemaChecks().problem({ [keyword]: schemas })).toBeNull())).toBeLessThan(500)
  })

  it('may not be too many together', () => {
    const large = { allOf: copies(400, { minimum: 0 }) }
    expect(checks.firstProblem([large, large])).toBeNull()
    expect(checks.firstProblem([large, large, large])).toMatchObject({
      problem: 'together they have more than 1000 parts',
    })
    expect(checks.firstProblem([{}, { $id: 'x' }])).toEqual({ index: 1, problem: '`$id` is not allowed' })
  })

  it('know equal items, in whatever order their members are', () => {
    const check = checks.checkOf({ properties: { a: { uniqueItems: true } } })
    expect(check({ a: [1, '1', { b: 1, c: 2 }, { b: 1 }, [], null] })).toBeNull()
    expect(
      check({
        a: [
          { b: 1, c: 2 },
          { c: 2, b: 1 },
        ],
      }),
    ).toEqual({ path: '/a', problem: 'must NOT have duplicate items' })
    expect(checks.checkOf({ properties: { a: { uniqueItems: false } } })({ a: [1, 1] })).toBeNull()
  })
})

const nested = (levels: number): object => (levels === 0 ? {} : { properties: { a: nested(levels - 1) } })
const doubling = Object.fromEntries(
  Array.from({ length: 30 }, (_, i) => [
    `d${i}`,
    { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
  ]),
)

it.each([
  ['a text', 'text', 'must be an object'],
  ['more than 32 KB', { description: 'x'.repeat(33_000) }, 'longer than 32 KB'],
  ['more than ten levels', nested(11), 'more than 10 levels'],
  ['a remote reference', { $ref: 'https://example.com/schema.json' }, 'may name `#/$defs/…` only'],
  ['a reference to a file', { $ref: 'file:///etc/passwd' }, 'may name `#/$defs/…` only'],
  ['an id', { $id: 'https://example.com/' }, '`$id` is not allowed'],
  ['a dynamic reference', { items: { $dynamicRef: '#x' } }, '`$dynamicRef` is not allowed'],
  ['recursion', { $ref: '#/$defs/a', $defs: { a: { properties: { a: { $ref: '#/$defs/a' } } } } }, 'is recursive'],
  [
    'recursion without an object between',
    { $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } },
    'is recursive',
  ],
  [
    'references that double at each level',
    { $ref: '#/$defs/d0', $defs: { ...doubling, d30: {} } },
    'more than 500 parts',
  ],
  ['a missing definition', { $ref: '#/$defs/a' }, 'has no a'],
  ['a definition of the prototype', { $ref: '#/$defs/constructor', $defs: {} }, 'has no constructor'],
  ['a pattern with look-ahead', { pattern: '(?=a)b' }, 'cannot be used'],
  ['a name pattern with a back reference', { patternProperties: { '(a)\\1': {} } }, 'cannot be used'],
  ['an anchored choice', { pattern: '^a|b$' }, 'cannot be used'],
  ['a type that does not exist', { type: 'text' }, 'must be equal to one of the allowed values'],
  ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }, 'no schema with key or ref'],
])('refuses a schema with %s', (_, schema, problem) => {
  expect(checks.problem(schema)).toContain(problem)
})

it('takes linear time for a pattern that makes others backtrack', () => {
  const check = checks.checkOf({ properties: { a: { pattern: '^(a+)+$' } } })
  expect(check({ a: `${'a'.repeat(16_000)}!` })?.problem).toContain('must match pattern')
})

it('keeps own names apart from those of every object', () => {
  const check = checks.checkOf({ required: ['constructor', '__proto__'] })
  expect(check({})?.problem).toContain('required property')
})
