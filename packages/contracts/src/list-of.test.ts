import fc from 'fast-check'
import { z } from 'zod'
import { dashboardEndpoints } from './dashboard/dashboard-endpoints.ts'
import { createDataset } from './datasets.ts'
import { operationName } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { ImportedGrade } from './labels.ts'
import { listOf, recordOf } from './list-of.ts'
import { ImportedLog } from './log-import.ts'
import { sessionEndpoints } from './session-endpoints.ts'
import { AnsweredExample } from './training-example.ts'

const first = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]

/** The first error; of a union the first of each option, since those after it are what the two kinds of list differ in. */
function compared(schema: z.ZodType, value: unknown): object {
  const issue = first(schema, value)
  const errors = issue?.code === 'invalid_union' ? issue.errors.map((ofOption) => ofOption.slice(0, 1)) : null
  return { ...issue, errors }
}

describe('a list and a record of the caller', () => {
  const item = z.strictObject({ a: z.string().min(1), b: z.int().default(3), c: z.array(z.int().max(2)).optional() })
  const bounded = { ...item.shape, c: listOf(z.int().max(2)).optional() }
  const isShort = (values: readonly unknown[]) => values.length < 3
  const ordinary = z.strictObject({
    list: z.array(item).min(1).max(4).refine(isShort).describe('A list.'),
    record: z.record(z.string().max(3), item),
    either: z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()]),
  })
  const ours = z.strictObject({
    list: listOf(z.strictObject(bounded)).min(1).max(4).refine(isShort).describe('A list.'),
    record: recordOf(z.string().max(3), z.strictObject(bounded)),
    either: z.union([z.string(), listOf(z.looseObject({ type: z.string() })), z.null()]),
  })
  const anItem = fc.oneof(
    fc.record({ a: fc.constantFrom('', 'x', 5), b: fc.constantFrom(1, 1.5), c: fc.array(fc.constantFrom(1, 3, 'x')) }),
    fc.record({ a: fc.constant('x'), b: fc.constant(1) }, { requiredKeys: ['a'] }),
    fc.record({ a: fc.constant('x'), other: fc.constant(1) }),
    fc.constantFrom(null, 5),
  )

  it('accept, change and refuse what those of zod do, with the same first error', () => {
    const key = fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom('__proto__', 'constructor', '1'))
    const value = fc.record({
      list: fc.oneof(fc.array(anItem, { maxLength: 6 }), fc.constant('none')),
      record: fc.oneof(fc.dictionary(key, anItem), fc.constant([])),
      either: fc.oneof(fc.array(fc.constantFrom({ type: 'x' }, { type: 5 }, null)), fc.constantFrom('x', 5)),
    })
    fc.assert(
      fc.property(value, (each) => {
        expect(ours.safeParse(each).data).toEqual(ordinary.safeParse(each).data)
        expect(compared(ours, each)).toEqual(compared(ordinary, each))
      }),
      { numRuns: 500, examples: [[{ list: [{ a: 'x' }], record: {}, either: [{ type: 5 }, null] }]] },
    )
  })

  it('have the JSON Schema of those of zod', () => {
    expect(z.toJSONSchema(ours, { io: 'input' })).toEqual(z.toJSONSchema(ordinary, { io: 'input' }))
  })

  it('look at no item after the first wrong one, at any depth', () => {
    let looks = 0
    const word = z.custom<string>((value) => {
      looks += 1
      return typeof value === 'string'
    })
    const wrong = Array.from({ length: 10_000 }, (_, index) => (index < 10 ? 'x' : 5))
    expect(first(listOf(listOf(word)), [['x'], wrong, wrong])?.path).toEqual([1, 10])
    expect(first(recordOf(z.string(), word), Object.fromEntries(wrong.entries()))?.path).toEqual(['10'])
    expect(looks).toBe(12 + 11)
  })

  it('refuse too many items without a look at them', () => {
    expect(first(listOf(z.never()).max(3), [1, 2, 3, 4])?.code).toBe('too_big')
  })
})

it('refuses a body of 450,000 wrong messages in little time and memory', () => {
  const messages = Array.from({ length: 9_000 }, () => ({ role: 'x', content: 5 }))
  const body = { name: 'd', examples: Array.from({ length: 50 }, () => ({ messages })) }
  const [startedAt, before] = [performance.now(), process.memoryUsage().heapUsed]
  expect(first(createDataset.body, body)?.path).toEqual(['examples', 0, 'messages', 0, 'role'])
  expect(performance.now() - startedAt).toBeLessThan(1_000)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50e6)
})

describe('schemas of callers', () => {
  /** Lists and records whose errors are as many as the caller likes. */
  function unboundedIn(schema: z.core.$ZodType, path: string, around: readonly unknown[] = []): readonly string[] {
    if (around.includes(schema)) return []
    const inside = (part: z.core.$ZodType, name = '') => unboundedIn(part, `${path}${name}`, [...around, schema])
    const { def } = (schema as z.core.$ZodTypes)._zod
    switch (def.type) {
      case 'object':
        return Object.entries(def.shape).flatMap(([name, field]) => inside(field, `.${name}`))
      case 'array':
        return [...(isBounded(schema, def.element) ? [] : [path]), ...inside(def.element, '[]')]
      case 'record':
        return [...(isBounded(schema, def.valueType) ? [] : [path]), ...inside(def.valueType, '{}')]
      case 'union':
        return def.options.flatMap((option) => inside(option))
      case 'lazy':
        return inside(def.getter())
      case 'pipe':
        return [...inside(def.in), ...inside(def.out)]
      case 'optional':
      case 'nullable':
      case 'default':
      case 'prefault':
        return inside(def.innerType)
      default:
        expect(['string', 'number', 'boolean', 'literal', 'enum', 'null', 'unknown', 'never', 'transform']).toContain(
          def.type,
        )
        return []
    }
  }

  function isBounded({ _zod: { def, traits } }: z.core.$ZodType, item: z.core.$ZodType): boolean {
    const maxima = (def.checks ?? []).map((check) => (check._zod.def as { readonly maximum?: number }).maximum)
    const isShort = maxima.some((maximum) => maximum !== undefined && maximum <= 200)
    // Of our schemas only z.json() is lazy.
    const acceptsAll = ['unknown', 'lazy'].includes(item._zod.def.type)
    return traits.has('BoundedList') || traits.has('BoundedRecord') || isShort || acceptsAll
  }

  /** Inference checks these by hand, and the schemas document them. */
  const documented = [
    ...['chat/completions', 'completions', 'responses', 'responses/compact', 'messages', 'embeddings'],
    ...['moderations', 'images/generations', 'audio/speech', 'audio/transcriptions'],
  ]
  const byHand = [
    ...documented.map((path) => `POST /v1/${path}`),
    'POST /v1/rerank',
    'POST /v2/rerank',
    'POST /v1beta/models/*call',
  ]

  it.each([
    ...[...endpoints, ...sessionEndpoints]
      .filter((each) => !byHand.includes(operationName(each)))
      .map((each): [string, z.ZodType] => [operationName(each), each.body]),
    ...dashboardEndpoints.map((each): [string, z.ZodType] => [`${each.method} ${each.path}`, each.body]),
    ['a log to import', ImportedLog],
    ['a grade to import', ImportedGrade],
    ['an example', AnsweredExample],
  ])('bound their lists: %s', (_name, schema) => {
    expect(unboundedIn(schema, '')).toEqual([])
  })
})
