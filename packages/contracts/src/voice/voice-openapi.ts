import { z } from 'zod'
import { type MountedEndpoint, operationId } from '../endpoint.ts'
import { voiceEndpoints } from './voice-endpoints.ts'
import { type VoiceError, VoiceErrorEnvelope, voiceErrorOf } from './voice-errors.ts'

type Json = Record<string, unknown>

const header = (description: string): Json => ({ description, schema: { type: 'string' } })

/** Headers of every answer. */
const answerHeaders: Json = {
  'X-Request-Id': header('Identifies this request in logs.'),
  'X-RateLimit-Limit': header('Requests that the key has in an hour.'),
  'X-RateLimit-Remaining': header('Requests that are left in the present hour.'),
  'X-RateLimit-Reset': header('Unix time at which the next hour begins.'),
}

const requestHeaderTexts: Readonly<Record<string, string>> = {
  'Idempotency-Key': 'A repetition with the same key and body within 24 hours is answered with the first answer.',
  'If-Match': 'The version that is changed; another one is a 409.',
}

/** Refusals of every endpoint. */
const everywhere: readonly VoiceError[] = [
  { status: 400, code: 'BAD_REQUEST' },
  { status: 401, code: 'MISSING_API_KEY' },
  { status: 401, code: 'UNAUTHORIZED' },
  { status: 404, code: 'NOT_FOUND' },
  { status: 429, code: 'RATE_LIMIT_EXCEEDED' },
  { status: 500, code: 'INTERNAL_ERROR' },
  { status: 503, code: 'SERVICE_UNAVAILABLE' },
]

/** The OpenAPI 3.1 description of the voice interface, printed from its endpoints. */
export function voiceOpenApi(endpoints: readonly MountedEndpoint[] = voiceEndpoints): Json {
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method]: operation(endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ratchet voice agents',
      version: '1.0.0',
      description: 'Every path also exists without `/v1`. Branch on the status of a refusal; its code is a hint.',
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'ck_live_… or ck_test_…' },
      },
      headers: answerHeaders,
      schemas: { Error: schemaOf(VoiceErrorEnvelope, 'output') },
    },
  }
}

function operation(endpoint: MountedEndpoint): Json {
  const body = schemaOf(endpoint.body, 'input')
  const hasBody = Object.keys((body.properties ?? {}) as Json).length > 0
  return {
    summary: endpoint.summary,
    description: endpoint.description,
    operationId: operationId(endpoint),
    'x-permission': endpoint.permission,
    parameters: [
      ...parameters(endpoint.params, 'path'),
      ...parameters(endpoint.query, 'query'),
      ...endpoint.requestHeaders.map((name) => ({ name, in: 'header', ...header(requestHeaderTexts[name] ?? '') })),
    ],
    ...(hasBody ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } } : {}),
    responses: {
      [endpoint.status]: {
        description: 'The answer.',
        headers: headerRefs,
        content: { 'application/json': { schema: schemaOf(endpoint.reply, 'output') } },
      },
      ...refusals(endpoint, hasBody),
    },
  }
}

const headerRefs = Object.fromEntries(
  Object.keys(answerHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
)

function parameters(schema: z.ZodType, place: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    readonly properties?: Json
    readonly required?: readonly string[]
  }
  return Object.entries(properties).map(([name, value]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: place === 'path' ? { type: 'string' } : value,
  }))
}

function refusals({ permission, errors }: MountedEndpoint, hasBody: boolean): Json {
  const own = errors.map((code) => voiceErrorOf(code, { isBodyRead: hasBody }))
  const ofBody: readonly VoiceError[] = hasBody ? [{ status: 400, code: 'INVALID_BODY' }] : []
  const ofRole: readonly VoiceError[] = permission === 'any' ? [] : [{ status: 403, code: 'FORBIDDEN' }]
  const byStatus = Map.groupBy([...everywhere, ...ofBody, ...ofRole, ...own], ({ status }) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: `Codes: ${[...new Set(group.map(({ code }) => code ?? 'none'))].join(', ')}.`,
        headers: headerRefs,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return json
}
