import fc from 'fast-check'
import { z } from 'zod'
import { type Endpoint, operationName } from './endpoint.ts'
import { endpoints } from './endpoints.ts'

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly allOf?: readonly Shape[]
}

/** Every field of a schema and of its nested schemas. */
function fieldsOf(schema: z.ZodType, io: 'input' | 'output'): readonly string[] {
  const walk = ({ properties = {}, items, anyOf = [], oneOf = [], allOf = [] }: Shape): readonly string[] => [
    ...Object.entries(properties).flatMap(([name, field]) => [name, ...walk(field)]),
    ...[...(items === undefined ? [] : [items]), ...anyOf, ...oneOf, ...allOf].flatMap(walk),
  ]
  return [...new Set(walk(z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Shape))]
}

/** Bodies that are passed on to providers, whose fields are unknown here, and OTLP, which may get new fields. */
const open = [
  ...['POST /v1/chat/completions', 'POST /v1/responses', 'POST /v1/messages', 'POST /v1/embeddings'],
  ...['POST /v1/completions', 'POST /v1/responses/compact', 'POST /v1/moderations', 'POST /v1/images/generations'],
  ...['POST /v1/audio/speech', 'POST /v1/audio/transcriptions', 'POST /v1beta/models/*call'],
  ...['POST /v1/messages/count_tokens', 'POST /v1/responses/input_tokens'],
  ...['POST /v1/rerank', 'POST /v2/rerank', 'POST /v1/traces', 'POST /v1/otel/v1/traces'],
  ...['POST /v1/metrics', 'POST /v1/otel/v1/metrics', 'POST /v1/logs', 'POST /v1/otel/v1/logs'],
]

/** The error of a body for an unknown field; null when it accepts the field. */
function refusalOf(body: z.ZodType, field: string, value: unknown): string | null {
  const { error } = body.safeParse({ [field]: value })
  const text = JSON.stringify(error?.issues ?? [])
  return text.includes('unrecognized_keys') && text.includes(JSON.stringify(field)) ? field : null
}

const closed = endpoints.filter((each) => !open.includes(operationName(each)))
const named = (endpoint: Endpoint): [string, Endpoint] => [operationName(endpoint), endpoint]

describe('a body', () => {
  it('may have unknown fields only if it is in the list', () => {
    const takes = endpoints.filter(({ body }) => refusalOf(body, 'is_admin', true) === null)
    expect(takes.map(operationName).toSorted()).toEqual(open.toSorted())
  })

  it.each(closed.map(named))('refuses a field that only the server sets, and names it: %s', (_key, { body, reply }) => {
    const own = new Set(fieldsOf(body, 'input'))
    const serverOwned = [...fieldsOf(reply, 'output'), 'workspace_id', 'workspaceId', 'trust', 'tpr', 'constructor']
    for (const field of serverOwned.filter((each) => !own.has(each))) {
      expect(refusalOf(body, field, null)).toBe(field)
    }
  })

  it.each(closed.map(named))('refuses an unknown field: %s', (_key, { body }) => {
    const own = new Set([...fieldsOf(body, 'input'), '__proto__'])
    const unknown = fc.string({ minLength: 1, maxLength: 30 }).filter((each) => !own.has(each))
    fc.assert(
      fc.property(unknown, fc.jsonValue(), (field, value) => {
        expect(refusalOf(body, field, value)).toBe(field)
      }),
      { numRuns: 30 },
    )
  })
})

/** The only replies with a secret: what signs messages of a webhook or calls of a tool is shown once, when it is created. */
const shown = [
  'POST /v1/webhooks secret',
  'POST /v1/environment_tools signing_secret',
  'POST /v1/environment_tools/from_traces signing_secret',
]
const looksSecret = /secret|hash|cipher|nonce|password|api_?key|encrypt|private/i
/** Hashes of a dataset, a grade or a prompt. They are not secret, because a caller can compute them. */
const digests = /^(prompt_|judge_prompt_)?sha256$/

it('contains neither a secret nor its stored form', () => {
  const found = endpoints.flatMap((each) =>
    fieldsOf(each.reply, 'output')
      .filter((field) => looksSecret.test(field) && !digests.test(field) && field !== 'secret_header_names')
      .map((field) => `${operationName(each)} ${field}`),
  )
  expect(found).toEqual(shown)
  expect(fieldsOf(z.object({ data: z.array(z.object({ key_hash: z.string() })) }), 'output')).toContain('key_hash')
})
