import { fitSchema } from './fit-schema.ts'

const fitValue = (schema: object) => fitSchema(schema as Record<string, unknown>, 'the text', 'word')

describe('fitSchema', () => {
  it('fills every property, with the text in the first unrestricted string', () => {
    const schema = {
      type: 'object',
      properties: {
        id: { type: 'string', format: 'uuid' },
        city: { type: 'string' },
        note: { type: ['string', 'null'] },
        days: { type: 'integer', minimum: 3 },
        unit: { enum: ['celsius', 'kelvin'] },
        exact: { type: 'boolean' },
        kind: { const: 'forecast' },
        tags: { type: 'array', items: { type: 'string' }, minItems: 2 },
      },
      required: ['city'],
    }
    expect(fitValue(schema)).toEqual({
      id: '3f1c9a52-7d44-4d0b-9a55-0d7d2f8a6b11',
      city: 'the text',
      note: 'word',
      days: 3,
      unit: 'celsius',
      exact: true,
      kind: 'forecast',
      tags: ['word', 'word'],
    })
  })

  it.each([
    [{ type: 'integer' }, 1],
    [{ type: 'integer', minimum: 10 }, 10],
    [{ type: 'integer', maximum: -5 }, -5],
    [{ type: 'integer', exclusiveMinimum: 4 }, 5],
    [{ type: 'integer', exclusiveMaximum: -4 }, -5],
    [{ type: 'integer', minimum: 5, multipleOf: 4 }, 8],
    [{ type: 'number', minimum: 0.2, maximum: 0.4 }, 0.30000000000000004],
    [{ type: 'number', exclusiveMinimum: 7 }, 8],
    [{ type: 'string', maxLength: 3 }, 'the'],
    [{ type: 'string', minLength: 10 }, 'the text..'],
    [{ anyOf: [{ type: 'null' }, { type: 'string' }] }, null],
  ])('keeps the bounds of %j', (schema, value) => {
    expect(fitValue(schema)).toEqual(value)
  })

  it('follows local references and merges allOf', () => {
    const schema = {
      $defs: { named: { type: 'object', properties: { name: { type: 'string' } } } },
      allOf: [{ $ref: '#/$defs/named' }, { properties: { age: { type: 'integer' } } }],
    }
    expect(fitValue(schema)).toEqual({ name: 'the text', age: 1 })
  })

  it('terminates on recursive schemas', () => {
    const tree = {
      $ref: '#/$defs/tree',
      $defs: { tree: { type: 'object', properties: { left: { $ref: '#/$defs/tree' } } } },
    }
    const loop = { $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } }
    expect(fitValue(tree)).toHaveProperty('left.left.left')
    expect(fitValue(loop)).toBeDefined()
  })
})
