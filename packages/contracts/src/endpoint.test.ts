import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'

const minimal = {
  method: 'get',
  path: '/v1/things',
  summary: 'List things.',
  description: 'All of them.',
  service: 'inference',
  permission: 'any',
  reply: z.object({}),
} as const

it('has no input and no further errors by default', () => {
  const { params, query, body, errors } = endpoint(minimal)

  expect(errors).toEqual([])
  for (const schema of [params, query, body]) {
    expect(schema.safeParse({}).success).toBe(true)
    expect(schema.safeParse({ stray: 1 }).error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['stray'] }])
  }
})

it('keeps the given members', () => {
  const body = z.object({ name: z.string() })

  expect(endpoint({ ...minimal, method: 'post', body, errors: ['conflict'] })).toMatchObject({
    body,
    errors: ['conflict'],
  })
})

describe.each(endpoints.map((value) => [`${value.method} ${value.path}`, value] as const))('%s', (_, value) => {
  it('has a summary and a description that are sentences', () => {
    expect(value.summary).toMatch(/^[A-Z].*\.$/)
    expect(value.description).toMatch(/\.$/)
  })

  it('is under /v1, or under /v2 or /v1beta where clients require it, without a slash at the end', () => {
    expect(value.path).toMatch(/^\/(v1\/.*|v1beta\/.*|v2\/reran)[^/]$/)
  })

  it('has a schema for exactly the parameters of its path', () => {
    const inPath = [...value.path.matchAll(/[:*](\w+)/g)].map(([, name]) => name)
    const { properties = {} } = z.toJSONSchema(value.params, { io: 'input', unrepresentable: 'any' })

    expect(Object.keys(properties).sort()).toEqual(inPath.sort())
  })

  it('has a body only when the method allows one', () => {
    const { properties = {} } = z.toJSONSchema(value.body, { io: 'input', unrepresentable: 'any' })

    if (value.method === 'get' || value.method === 'delete') expect(properties).toEqual({})
  })
})
