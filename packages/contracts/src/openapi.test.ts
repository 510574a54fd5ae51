import { readdirSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { GateGuard } from './aliases.ts'
import { endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { ErrorEnvelope, errorCatalog } from './errors.ts'
import { openApiDocument } from './openapi.ts'
import { describeSchemas } from './openapi-schemas.ts'
import { wholeNumber } from './query-values.ts'
import { schemaNames } from './schema-names.ts'

interface Operation {
  readonly operationId: string
  readonly parameters: { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> }
  readonly responses: Record<
    string,
    {
      readonly description: string
      readonly headers: Record<string, object>
      readonly content: Record<string, { schema: object }>
    }
  >
  readonly 'x-permission': string
  readonly 'x-abuse-guard': boolean
}

interface Document {
  readonly openapi: string
  readonly security: object[]
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly securitySchemes: Record<string, object>; readonly schemas: Record<string, object> }
}

/** The parts of an endpoint that a test does not need. */
const common = {
  path: '/v1/things',
  summary: 'S.',
  description: 'D.',
  service: 'inference',
  permission: 'any',
  reply: z.object({}),
} as const

const document = openApiDocument() as unknown as Document
const operations = endpoints.map((value) => {
  const printed = value.path.replace(/[:*](\w+)/g, '{$1}')
  return [
    `${value.method} ${printed}`,
    { value, path: printed, operation: document.paths[printed]?.[value.method] },
  ] as const
})

it('has every endpoint and no other operation', () => {
  const printed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  )

  expect(printed.sort()).toEqual(operations.map(([name]) => name).sort())
})

it('requires a key everywhere', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.security).toEqual([{ apiKey: [] }])
  expect(document.components.securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' })
})

it('gives every operation a unique id', () => {
  const ids = operations.map(([, { operation }]) => operation?.operationId)

  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]*$/)
})

it('has no reference outside the document', () => {
  const references = [...refsIn(document)]

  expect(references.length).toBeGreaterThan(0)
  expect(references.filter((reference) => lookUp(document, reference) === undefined)).toEqual([])
})

describe.each(operations)('%s', (_, { value, path: at, operation }) => {
  it('states the permission of every operation', () => {
    expect(operation).toMatchObject({ 'x-permission': value.permission, 'x-abuse-guard': value.guard })
  })

  it('declares every parameter of its path as required', () => {
    const inPath = [...at.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const declared = operation?.parameters.filter((parameter) => parameter.in === 'path') ?? []

    expect(declared.map(({ name }) => name)).toEqual(inPath)
    expect(declared.every(({ required }) => required)).toBe(true)
  })

  it('has an answer, JSON unless it is a download, and the envelope for every status of its errors', () => {
    const everywhere = [400, 401, 403, 405, 429, 500, 503]
    const ofBodies = operation?.requestBody === undefined ? [] : [408, 413, 415]
    const own = value.errors.map((code) => errorCatalog[code].status)
    const statuses = [...new Set([value.status, ...everywhere, ...ofBodies, ...own])].sort()
    const ofGemini = at.startsWith('/v1beta/') ? 'GeminiError' : 'Error'
    const name = at.startsWith('/v1/messages') ? 'MessagesError' : ofGemini
    const { [value.status]: answer, ...failures } = operation?.responses ?? {}

    expect(Object.keys(operation?.responses ?? {}).map(Number)).toEqual(statuses)
    const types = value.downloads.length > 0 ? value.downloads : ['application/json']
    expect(Object.keys(answer?.content ?? {})).toEqual(expect.arrayContaining([...types]))
    const envelope = { $ref: `#/components/schemas/${name}` }
    const flat = { anyOf: [envelope, { $ref: '#/components/schemas/FlatError' }] }
    for (const [status, failure] of Object.entries(failures)) {
      const schema = value.refusesFlatly && status === '400' ? flat : envelope
      expect(failure.content).toEqual({ 'application/json': { schema } })
    }
    for (const code of value.errors) expect(failures[errorCatalog[code].status]?.description).toContain(code)
  })

  it('refers to a component for its body and for its answer', () => {
    const { requestBody, responses } = operation ?? {}
    const answer = responses?.[value.status]?.content ?? {}
    const bodies = Object.entries(requestBody?.content ?? {}).flatMap(([type, content]) =>
      /jsonl|ndjson/.test(type) ? [] : [content],
    )
    const answers = value.downloads.length > 0 ? [] : [answer['application/json']]
    for (const content of [...bodies, ...answers]) {
      expect(content?.schema).toEqual({ $ref: expect.stringMatching(/^#\/components\/schemas\/[A-Z][A-Za-z0-9]*$/) })
    }
  })

  it('documents the headers of every answer of a status', () => {
    for (const [status, { headers }] of Object.entries(operation?.responses ?? {})) {
      const names = Object.keys(headers)
      expect(names).toContain('X-Request-Id')
      expect(names.includes('Retry-After')).toBe(['429', '503'].includes(status))
      expect(names.includes('Allow')).toBe(status === '405')
    }
  })

  it('has a request body exactly when the endpoint has one', () => {
    const isSaidByPath =
      ['get', 'delete'].includes(value.method) ||
      /\/(archive|cancel|pause|replay|resume|start|stop|webhooks\/[^/]+\/test)$/.test(value.path)

    expect(operation?.requestBody !== undefined).toBe(!isSaidByPath)
  })
})

describe('components', () => {
  it('contain every schema of the contracts that has a name, and that an operation uses', async () => {
    const folder = import.meta.dirname
    const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    const modules = await Promise.all(files.map((file) => import(path.join(folder, file))))
    const exported = modules.flatMap((module) => Object.entries(module as Record<string, unknown>))
    const named = exported.filter(
      (entry): entry is [string, z.ZodType] =>
        /^[A-Z]/.test(entry[0]) && entry[1] instanceof z.ZodType && !(entry[1] instanceof z.ZodString),
    )
    const notListed = named.filter(([, schema]) => !schemaNames.has(schema))
    // Schemas that are not listed may have the same name in two files.
    const others = notListed.map(([name, schema], i) => [schema, `${name}NotListed${i}`] as const)
    const all = new Map([...schemaNames, ...others])
    const { components } = describeSchemas(endpoints, [ErrorEnvelope], all)

    expect(named.length).toBeGreaterThan(80)
    expect(Object.keys(components).filter((name) => name.includes('NotListed'))).toEqual([])
    const renamed = named.filter(([name, schema]) => ![undefined, name].includes(schemaNames.get(schema)))
    expect(renamed.map(([name]) => name)).toEqual(['ErrorEnvelope'])
  })

  it('are used by operations, each of them', () => {
    const used = new Set([...refsIn(document)].map((reference) => reference.split('/').at(-1)))

    expect(Object.keys(document.components.schemas).filter((name) => !used.has(name))).toEqual([])
  })

  it('have no list of a closed number of kinds, which generators of other languages refuse', () => {
    const text = JSON.stringify(document)

    expect(text).not.toContain('"items":false')
    expect(text).not.toContain('prefixItems')
    expect(document.components.schemas.Interval).toEqual({
      type: 'array',
      items: { type: 'number' },
      minItems: 2,
      maxItems: 2,
    })
  })

  it('are described anew where a body and an answer differ', () => {
    const { components } = openApiDocument([
      endpoint({
        ...common,
        method: 'post',
        body: z.object({ gate: GateGuard }),
        reply: z.object({ gate: GateGuard }),
      }),
    ]) as unknown as Document
    const { GateGuard: given, GateGuardInput: sent } = components.schemas as Record<string, { required?: string[] }>

    expect([given, sent]).not.toContain(undefined)
    expect(sent).not.toEqual(given)
    expect(components.schemas.PostThingsRequest).toMatchObject({
      properties: { gate: { $ref: '#/components/schemas/GateGuardInput' } },
    })
  })

  it('have one schema for each name', () => {
    const two = new Map<z.ZodType, string>([
      [z.object({ a: z.string() }), 'Thing'],
      [z.object({ b: z.string() }), 'Thing'],
    ])

    expect(() => describeSchemas([], [], two)).toThrow('Thing')
  })
})

it('describes a chat completion unstreamed and streamed, with the headers of its answers', () => {
  const answer = document.paths['/v1/chat/completions']?.post?.responses[200]

  expect(Object.keys(answer?.content ?? {})).toEqual(['application/json', 'text/event-stream'])
  expect(Object.keys(answer?.headers ?? {})).toEqual([
    'X-Request-Id',
    'X-Svc-Alias',
    'X-Svc-Served-Model',
    'X-Svc-Fallback-From',
    'X-Svc-Dropped',
    'X-Svc-Cache',
    'X-Svc-Logged',
    'X-Svc-Cost-Usd',
    'X-Svc-Session',
    ...['limit', 'remaining', 'reset'].flatMap((what) => [
      `x-ratelimit-${what}-requests`,
      `x-ratelimit-${what}-tokens`,
    ]),
  ])
})

it('describes the headers that change a call of a model, and their effect', () => {
  const parameters = document.paths['/v1/embeddings']?.post?.parameters ?? []

  expect(parameters.map(({ name }) => name)).toEqual([
    'Idempotency-Key',
    'X-Svc-Cache',
    'X-Svc-Cache-Ttl',
    'X-Svc-Log',
    'X-Svc-Max-Wait',
    'X-Svc-Metadata',
    'X-Svc-Session',
    'X-Svc-Strict',
    'X-Svc-Tag',
    'X-Svc-Trace-Id',
    'X-Svc-User',
  ])
  for (const parameter of parameters) {
    expect(parameter).toMatchObject({ in: 'header', required: false, description: expect.stringMatching(/\.$/) })
  }
})

it('describes query parameters, those with a default as optional', () => {
  const search = endpoint({
    method: 'get',
    path: '/v1/things/:id',
    summary: 'S.',
    description: 'D.',
    service: 'inference',
    permission: 'any',
    params: z.object({ id: z.string() }),
    query: z.object({ limit: wholeNumber({ min: 1, max: 200 }).default(50), q: z.string() }),
    reply: z.object({}),
  })

  const { paths } = openApiDocument([search]) as unknown as Document

  expect(paths['/v1/things/{id}']?.get?.parameters).toMatchObject([
    { name: 'id', in: 'path', required: true },
    { name: 'limit', in: 'query', required: false, schema: { type: 'integer', maximum: 200, default: 50 } },
    { name: 'q', in: 'query', required: true },
  ])
})

it('includes two methods of one path', () => {
  const { paths } = openApiDocument([
    endpoint({ ...common, method: 'get' }),
    endpoint({ ...common, method: 'post', body: z.object({ name: z.string() }) }),
  ]) as unknown as Document

  expect(Object.keys(paths['/v1/things'] ?? {})).toEqual(['get', 'post'])
})

function* refsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (name === '$ref') yield String(member)
    else yield* refsIn(member)
  }
}

function lookUp(root: unknown, reference: string): unknown {
  const [start, ...steps] = reference.split('/')
  if (start !== '#') return undefined
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], root)
}
