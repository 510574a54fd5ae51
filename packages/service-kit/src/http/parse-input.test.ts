import { z } from 'zod'
import { parseInput } from './parse-input.ts'
import { ServiceError } from './service-error.ts'

const part = z.strictObject({ type: z.string(), text: z.string() })
const Body = z.strictObject({
  name: z.string().min(1).max(5),
  size: z.int().min(1).max(9).optional(),
  share: z.number().gt(0).lt(1).optional(),
  step: z.number().multipleOf(0.5).optional(),
  kind: z.enum(['train', 'eval']).optional(),
  only: z.literal('x').optional(),
  weight: z.union([z.literal(0), z.literal(1)]).optional(),
  tags: z.array(z.string()).min(2).max(3).optional(),
  content: z.union([z.string(), z.array(part)]).optional(),
  link: z.url().optional(),
  at: z.iso.datetime().optional(),
  flag: z.boolean().optional(),
  any: z.record(z.string(), z.unknown()).optional(),
  own: z
    .string()
    .refine(() => false, 'This is not allowed.')
    .optional(),
  quiet: z
    .string()
    .refine(() => false, 'Custom message.')
    .optional(),
})

/** Code, param and message of the error. */
function refusal(value: unknown, schema: z.ZodType = Body): readonly unknown[] {
  try {
    parseInput(schema, value)
  } catch (error) {
    if (error instanceof ServiceError) return [error.code, error.param, error.message]
    throw error
  }
  throw new Error('it was accepted')
}

const name = 'n'

it.each<[object, string, string]>([
  [{}, 'name', '`name` is required.'],
  [{ name: 7 }, 'name', '`name` must be a string.'],
  [{ name: null }, 'name', '`name` must be a string.'],
  [{ name: '' }, 'name', '`name` must not be empty.'],
  [{ name: 'longer' }, 'name', '`name` must have at most 5 characters.'],
  [{ name, size: 0 }, 'size', '`size` must be at least 1.'],
  [{ name, size: 10 }, 'size', '`size` must be at most 9.'],
  [{ name, size: 1.5 }, 'size', '`size` must be a whole number.'],
  [{ name, size: '1' }, 'size', '`size` must be a number.'],
  [{ name, share: 0 }, 'share', '`share` must be greater than 0.'],
  [{ name, share: 1 }, 'share', '`share` must be less than 1.'],
  [{ name, step: 0.7 }, 'step', '`step` must be a multiple of 0.5.'],
  [{ name, kind: 'test' }, 'kind', '`kind` must be train or eval.'],
  [{ name, only: 'y' }, 'only', '`only` must be x.'],
  [{ name, weight: 2 }, 'weight', '`weight` must be 0 or 1.'],
  [{ name, tags: 'a' }, 'tags', '`tags` must be an array.'],
  [{ name, tags: ['a'] }, 'tags', '`tags` must have at least 2 items.'],
  [{ name, tags: ['a', 'b', 'c', 'd'] }, 'tags', '`tags` must have at most 3 items.'],
  [{ name, tags: ['a', 2] }, 'tags.1', '`tags.1` must be a string.'],
  [{ name, content: 5 }, 'content', '`content` must be a string or an array.'],
  [{ name, content: [{ type: 'text' }] }, 'content.0.text', '`content.0.text` is required.'],
  [{ name, link: 'here' }, 'link', '`link` must be a URL.'],
  [{ name, at: 'now' }, 'at', '`at` must be an ISO 8601 date-time with its zone.'],
  [{ name, flag: 'true' }, 'flag', '`flag` must be true or false.'],
  [{ name, any: [] }, 'any', '`any` must be an object.'],
  [{ name, own: 'x' }, 'own', '`own` is not allowed.'],
  [{ name, quiet: 'x' }, 'quiet', 'Custom message.'],
])('names the wrong field of %j', (value, param, message) => {
  expect(refusal(value)).toEqual(['invalid_request', param, message])
})

it.each([[[]], ['text'], [5], [null]])('refuses %j, which is not an object', (value) => {
  expect(refusal(value)).toEqual(['invalid_request', null, 'The body must be an object.'])
})

it('names the field of a part of a body from the root of the body', () => {
  const parse = (value: unknown) => () => parseInput(Body, value, ['examples', 3])
  expect(parse({ name, content: [{ type: 'text' }] })).toThrow('`examples.3.content.0.text` is required.')
  expect(parse({ name, nam: 1 })).toThrow('Unknown parameter: examples.3.nam.')
  expect(parse(5)).toThrow('`examples.3` must be an object.')
})

it('names unknown keys, also in a branch of a union', () => {
  expect(refusal({ name, nam: 1 })).toEqual(['unknown_parameter', 'nam', 'Unknown parameter: nam.'])
  const content = [{ type: 'text', text: '', txt: '' }]
  expect(refusal({ name, content })).toEqual([
    'unknown_parameter',
    'content.0.txt',
    'Unknown parameter: content.0.txt.',
  ])
})

it.each([z.enum(['a']), z.literal('a'), z.union([z.string(), z.null()]), z.int()])(
  'reports only that a missing field is required: %#',
  (field) => {
    expect(refusal({}, z.strictObject({ field }))).toEqual(['invalid_request', 'field', '`field` is required.'])
  },
)
