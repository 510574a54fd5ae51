import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'

const minimal = {
  method: 'get',
  path: '/v1/things',
  summary: 'List things.',
  description: 'All of them.',
  service: 'inference',
  reply: z.object({}),
} as const

it('takes no input and adds no errors unless it is told to', () => {
  const { params, query, body, errors } = endpoint(minimal)

  expect(errors).toEqual([])
  for (const schema of [params, query, body]) {
    expect(schema.safeParse({}).success).toBe(true)
    expect(schema.safeParse({ stray: 1 }).error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['stray'] }])
  }
})

it('keeps what it is told', () => {
  const body = z.object({ name: z.string() })

  expect(endpoint({ ...minimal, method: 'post', body, errors: ['conflict'] })).toMatchObject({
    body,
    errors: ['conflict'],
  })
})

describe.each(endpoints.map((value) => [`${value.method} ${value.path}`, value] as const))('%s', (_, value) => {
  it('is described in words that end', () => {
    expect(value.summary).toMatch(/^[A-Z].*\.$/)
    expect(value.description).toMatch(/\.$/)
  })

  it('stands under /v1, or under /v2 where a client insists, without a slash at the end', () => {
    expect(value.path).toMatch(/^\/(v1\/.*|v2\/reran)[^/]$/)
  })

  it('has a schema for exactly the parameters of its path', () => {
    const inPath = [...value.path.matchAll(/[:*](\w+)/g)].map(([, name]) => name)
    const { properties = {} } = z.toJSONSchema(value.params, { io: 'input', unrepresentable: 'any' })

    expect(Object.keys(properties).sort()).toEqual(inPath.sort())
  })

  it('takes a body only where the method has one', () => {
    const { properties = {} } = z.toJSONSchema(value.body, { io: 'input', unrepresentable: 'any' })

    if (value.method === 'get' || value.method === 'delete') expect(properties).toEqual({})
  })
})
