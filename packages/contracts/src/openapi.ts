import { type Brand, brandOf } from './brand.ts'
import { type Endpoint, operationId, type PlainHeader, plainHeaders, type RequestHeader } from './endpoint.ts'
import { endpoints as everyEndpoint } from './endpoints.ts'
import { type ErrorCode, errorCatalog, FlatError } from './errors.ts'
import { unloggedReasons } from './logged-state.ts'
import { errorSchemaAt } from './messages.ts'
import { type DescribedSchemas, describeSchemas, type Json, type SchemaMembers } from './openapi-schemas.ts'

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

/** The errors of every endpoint that has a body. */
const ofBodies: readonly ErrorCode[] = ['request_timeout', 'request_too_large', 'unsupported_media_type']

const commonHeaders = {
  'X-Request-Id': header(
    'Identifies this request in logs and in error messages. The wallet shows a billing id: this id, or one derived from the `Idempotency-Key` of the request.',
  ),
  'Retry-After': header('Seconds after which a retry may succeed.'),
  Allow: header('The methods that this URL supports.'),
}

const jsonLines = { type: 'string', description: 'One JSON document a line.' }

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
    '1 to 255 visible ASCII characters. Requests with the same key and body get the same answer for 24 hours, charged once. An answer that cost nothing is made again when those of the last day are more than 1 GiB.',
  'If-Match': 'The `version` that is changed; 412 `version_conflict` when the current version is another one.',
  'If-None-Match': '`*` creates an alias and never changes one: 412 `version_conflict` when there is one of this name.',
  Prefer:
    '`wait=N` answers when the work is over, or after N seconds, at most 60. With many waiting requests it is answered at once.',
  cache:
    '`on` or `off`: allows an answer from the cache to an equal request, whatever the default of the workspace is.',
  cacheTtl: 'Seconds for which the answer is cached, 1 to 2,592,000; a day by default.',
  log: '`off` excludes this exchange from the log, and everything that continues it by `previous_response_id` or refers to its items.',
  maxWait: 'Seconds that a request to a dedicated endpoint waits while the endpoint starts, 0 to 600; 60 by default.',
  metadata:
    'Followed by a hyphen and a name, as in `X-Svc-Metadata-Plan: pro`: noted with the exchange in the log, never sent to a provider; at most 8 of at most 256 printable ASCII characters.',
  session:
    'The conversation of the exchange in the log, and `conversation_id` of the answer; at most 128 printable ASCII characters, never sent to a provider.',
  user: 'The end user of the exchange in the log; at most 128 printable ASCII characters, never sent to a provider.',
  strict:
    '`on` refuses what a model has nothing like. Otherwise labels and hints are left out, and named in the answer.',
  tag: 'A label of at most 64 printable ASCII characters; never sent to a provider.',
  traceId:
    'Groups the steps of one agent run; at most 128 visible ASCII characters, never sent to a provider. Without it, the trace id of `traceparent`.',
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
  dropped:
    'What was left out of the request because the model that answered has nothing like it, such as `seed, name`.',
  fallbackFrom: 'The model that was called first and failed.',
  log: 'States whether the exchange was logged.',
  logged: `\`on\` when the exchange is logged once its answer is complete, else \`off; <reason>\`; the reason is one of ${unloggedReasons.map((reason) => `\`${reason}\``).join(', ')}.`,
  maxWait: 'How long the request waited for a dedicated endpoint.',
  store:
    '`off` when the response should be stored but is not, because logging is off or, for an answer that is not streamed, the storage quota is used up.',
  strict: 'States whether the request was refused instead of changed.',
  tag: 'The tag of the exchange.',
  metadata: 'A value that is noted with the exchange.',
  session: 'The session that the request named.',
  user: 'The end user of the exchange.',
  traceId: 'The trace that the exchange belongs to.',
}

/** The OpenAPI 3.1 description of the public API, printed from the endpoint values. */
export function openApiDocument(endpoints: readonly Endpoint[] = everyEndpoint): Json {
  const schemas = describeSchemas(
    endpoints,
    endpoints.flatMap(({ path, refusesFlatly }) => [errorSchemaAt(path), ...(refusesFlatly ? [FlatError] : [])]),
  )
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/[:*](\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method]: operation(endpoint, schemas) }
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
      schemas: schemas.components,
    },
  }
}

function operation(endpoint: Endpoint, schemas: DescribedSchemas): Json {
  const hasBody = schemas.hasMembers(endpoint.body)
  return {
    summary: endpoint.summary,
    description: endpoint.description,
    operationId: operationId(endpoint),
    'x-permission': endpoint.permission,
    'x-abuse-guard': endpoint.guard,
    parameters: [
      ...parameters(schemas.membersOf(endpoint.params), 'path'),
      ...parameters(schemas.membersOf(endpoint.query), 'query'),
      ...headerParameters(endpoint),
    ],
    ...(hasBody ? { requestBody: { required: true, content: bodyContent(endpoint, schemas) } } : {}),
    responses: {
      [endpoint.status]: answer(endpoint, schemas),
      ...errorResponses([...new Set([...everywhere, ...(hasBody ? ofBodies : []), ...endpoint.errors])], (status) =>
        errorSchema(endpoint, schemas, status),
      ),
    },
  }
}

function bodyContent({ body, form, bodyTypes }: Endpoint, schemas: DescribedSchemas): Json {
  const schemaOf = (type: string) => {
    if (type === 'multipart/form-data') return schemas.refTo(form ?? body, 'input')
    if (type === 'application/json') return schemas.refTo(body, 'input')
    return bodyTypes.includes('application/json')
      ? jsonLines
      : { ...jsonLines, 'x-line-schema': schemas.refTo(body, 'input') }
  }
  return Object.fromEntries(bodyTypes.map((type) => [type, { schema: schemaOf(type) }]))
}

function answer(
  { reply, streams, downloads, answerHeaders, requestHeaders, service }: Endpoint,
  schemas: DescribedSchemas,
): Json {
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
    content:
      downloads.length > 0
        ? files
        : { 'application/json': { schema: schemas.refTo(reply, 'output') }, ...(streams ? events : {}) },
  }
}

function parameters({ properties, required }: SchemaMembers, place: 'path' | 'query'): Json[] {
  // `include[]` is another spelling of `include`; generators of clients refuse two names that are alike.
  const names = Object.entries(properties).filter(([name]) => !name.endsWith('[]'))
  return names.map(([name, value]) => ({
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

function isPlainHeader(name: RequestHeader): name is PlainHeader {
  return plainHeaders.some((each) => each === name)
}

function errorSchema({ path, refusesFlatly }: Endpoint, schemas: DescribedSchemas, status: number): Json {
  const envelope = schemas.refTo(errorSchemaAt(path), 'output')
  return refusesFlatly && status === 400 ? { anyOf: [envelope, schemas.refTo(FlatError, 'output')] } : envelope
}

function errorResponses(codes: readonly ErrorCode[], schemaOf: (status: number) => Json): Json {
  const byStatus = Map.groupBy(codes, (code) => errorCatalog[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: `Codes: ${group.join(', ')}.`,
        headers: refs('X-Request-Id', ...(headersByStatus[status] ?? [])),
        content: { 'application/json': { schema: schemaOf(status) } },
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
