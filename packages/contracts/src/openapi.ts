import { z } from 'zod'
import { type Brand, brandOf } from './brand.ts'
import type { Endpoint, RequestHeader } from './endpoint.ts'
import { endpoints as everyEndpoint } from './endpoints.ts'
import { type ErrorCode, ErrorEnvelope, errorCatalog } from './errors.ts'

type Json = Record<string, unknown>

/** The errors of every endpoint. */
const everywhere: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_api_key',
  'insufficient_permissions',
  'method_not_allowed',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
]

const commonHeaders = {
  'X-Request-Id': header(
    'Identifies this request in logs and in error messages. The wallet shows a billing id: this id, or one derived from the `Idempotency-Key` of the request.',
  ),
  'Retry-After': header('Seconds after which a retry may succeed.'),
  Allow: header('The methods that this URL supports.'),
}

/** The headers of an error answer, in addition to the request's id. */
const headersByStatus: Readonly<Record<number, readonly (keyof typeof commonHeaders)[]>> = {
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

const limitTexts: Readonly<Record<string, string>> = {
  limit: 'the maximum per minute',
  remaining: 'the number that remains',
  reset: 'the time until the limit is unused again, such as `120ms` or `6m0s`',
}

const requestHeaderTexts: Readonly<Partial<Record<RequestHeader, string>>> = {
  'Idempotency-Key':
    '1 to 255 visible ASCII characters. Requests with the same key and body get the same answer for 24 hours, charged once.',
  'If-Match': 'The `version` that is changed; 412 `version_conflict` when the current version is another one.',
  'If-None-Match': '`*` creates an alias and never changes one: 412 `version_conflict` when there is one of this name.',
  cache:
    '`on` or `off`: allows an answer from the cache to an equal request, whatever the default of the workspace is.',
  cacheTtl: 'Seconds for which the answer is cached, 1 to 2,592,000; a day by default.',
  log: '`off` excludes this exchange from the log.',
  tag: 'A label of at most 64 printable ASCII characters; never sent to a provider.',
  traceId: 'Groups the steps of one agent run; at most 128 visible ASCII characters, never sent to a provider.',
}

/** The rate limit headers of OpenAI, on answers to requests with a limit. */
const rateLimitHeaders = Object.fromEntries(
  ['limit', 'remaining', 'reset'].flatMap((what) =>
    ['requests', 'tokens'].map((unit) => [
      `x-ratelimit-${what}-${unit}`,
      header(`For ${unit} per minute, when the key or the workspace has a limit: ${limitTexts[what]}.`),
    ]),
  ),
)

const answerHeaderTexts: Readonly<Record<keyof Brand['headers'], string>> = {
  alias: 'The alias that the request named.',
  servedModel: 'The catalog id of the model that answered.',
  costUsd: 'Charge for the exchange, USD. A stream states it as `usage.cost_usd` of its last chunk instead.',
  cache: '`hit` for an answer from the cache, `miss` for another answer, `off` when the cache was not used.',
  cacheTtl: 'Seconds for which the answer is cached.',
  fallbackFrom: 'The model that was called first and failed.',
  log: 'States whether the exchange was logged.',
  store: '`off` when the response should be stored but is not, because logging is off.',
  tag: 'The tag of the exchange.',
  traceId: 'The trace that the exchange belongs to.',
}

/** The OpenAPI 3.1 description of the public API, printed from the endpoint values. */
export function openApiDocument(endpoints: readonly Endpoint[] = everyEndpoint): Json {
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/[:*](\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method]: operation(endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ratchet',
      version: '1.0.0',
      description: `Gateway and management API. Header names contain the brand word of the deployment (here ${brandOf().word}).`,
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: `An API key: ${brandOf().keyPrefix}…` },
      },
      headers: commonHeaders,
      schemas: { Error: schemaOf(ErrorEnvelope, 'output') },
    },
  }
}

function operation(endpoint: Endpoint): Json {
  return {
    summary: endpoint.summary,
    description: endpoint.description,
    operationId: operationId(endpoint),
    'x-permission': endpoint.permission,
    'x-abuse-guard': endpoint.guard,
    parameters: [
      ...parameters(endpoint.params, 'path'),
      ...parameters(endpoint.query, 'query'),
      ...headerParameters(endpoint),
    ],
    ...(hasMembers(endpoint.body) ? { requestBody: { required: true, content: bodyContent(endpoint) } } : {}),
    responses: {
      [endpoint.status]: answer(endpoint),
      ...errorResponses([...everywhere, ...endpoint.errors]),
    },
  }
}

function bodyContent({ body, bodyTypes }: Endpoint): Json {
  const schema = schemaOf(body, 'input')
  return Object.fromEntries(bodyTypes.map((type) => [type, { schema }]))
}

function answer({ reply, streams, downloads, answerHeaders, requestHeaders, service }: Endpoint): Json {
  const { headers: names } = brandOf()
  const own = answerHeaders.map((name) => [names[name], header(answerHeaderTexts[name])])
  const files = Object.fromEntries(downloads.map((type) => [type, { schema: { type: 'string' } }]))
  const events = { 'text/event-stream': { schema: { type: 'string', description: 'Events, when `stream` is true.' } } }
  return {
    description: 'The answer.',
    headers: {
      ...refs('X-Request-Id'),
      ...Object.fromEntries(own),
      ...(service === 'inference' && requestHeaders.length > 0 ? rateLimitHeaders : {}),
    },
    content: downloads.length > 0 ? files : { ...json(reply, 'output'), ...(streams ? events : {}) },
  }
}

function operationId({ method, path }: Endpoint): string {
  const words = path
    .replace('/v1/', '')
    .split(/[\W_]+/)
    .filter(Boolean)
  return [method, ...words].map((word, i) => (i === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join('')
}

function parameters(schema: z.ZodType, place: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as { properties?: Json; required?: string[] }
  return Object.entries(properties).map(([name, value]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: place === 'path' ? { type: 'string' } : value,
  }))
}

function headerParameters({ requestHeaders }: Endpoint): Json[] {
  const { headers } = brandOf()
  return requestHeaders.map((name) => ({
    name: isPlainHeader(name) ? name : headers[name],
    in: 'header',
    required: false,
    ...header(requestHeaderTexts[name] ?? ''),
  }))
}

/** True for headers whose names do not contain the brand word. */
function isPlainHeader(name: RequestHeader): name is 'Idempotency-Key' | 'If-Match' | 'If-None-Match' {
  return name === 'Idempotency-Key' || name === 'If-Match' || name === 'If-None-Match'
}

function errorResponses(codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy(codes, (code) => errorCatalog[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: `Codes: ${group.join(', ')}.`,
        headers: refs('X-Request-Id', ...(headersByStatus[status] ?? [])),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}

function refs(...names: (keyof typeof commonHeaders)[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function header(description: string): Json {
  return { description, schema: { type: 'string' } }
}

function hasMembers(schema: z.ZodType): boolean {
  const { properties = {}, anyOf } = schemaOf(schema, 'input') as { properties?: Json; anyOf?: unknown }
  return anyOf !== undefined || Object.keys(properties).length > 0
}

function json(schema: z.ZodType, io: 'input' | 'output'): Json {
  return { 'application/json': { schema: schemaOf(schema, io) } }
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: keepDefault })
  return rest
}

/** Adds the default of a field that converts text to a number, which zod leaves out. */
function keepDefault({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes
  jsonSchema: { default?: unknown }
}): void {
  const { def } = zodSchema._zod
  if (def.type === 'default' && typeof def.defaultValue === 'number') jsonSchema.default ??= def.defaultValue
}
