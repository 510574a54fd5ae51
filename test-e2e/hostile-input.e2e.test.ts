import { type RawAnswer, type RawChat, rawChatBytes, rawRequest } from './raw-request.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'

let fleet: SharedFleet

beforeAll(async () => {
  fleet = await shareFleet()
}, 180_000)

function send(sent: RawChat): Promise<RawAnswer> {
  return rawRequest(fleet.url, rawChatBytes(fleet.workspace.apiKey, sent))
}

const chat = JSON.stringify({ model: 'sim/echo', messages: [{ role: 'user', content: 'hi' }] })
const nested = (depth: number) => `{"model":"sim/echo","messages":${'['.repeat(depth)}${']'.repeat(depth)}}`
const withMember = (member: string) => `${chat.slice(0, -1)},${member}}`

type Case = readonly [name: string, sent: () => RawChat, status: number, code: string | null, param?: string]

const bodies: readonly Case[] = [
  ['malformed JSON', () => ({ body: '{"model":' }), 400, 'invalid_request', 'body'],
  ['an empty body', () => ({ body: '' }), 400, 'invalid_request', 'body'],
  ['a body that is no object', () => ({ body: '[1]' }), 400, 'invalid_request', 'body'],
  ['__proto__', () => ({ body: withMember('"__proto__":{"x":1}') }), 400, 'invalid_request', '__proto__'],
  ['__proto__ deep inside', () => ({ body: withMember('"a":[{"__proto__":1}]') }), 400, 'invalid_request', '__proto__'],
  ['__proto__ in escapes', () => ({ body: withMember('"\\u005f_proto__":1') }), 400, 'invalid_request', '__proto__'],
  ['a key given twice', () => ({ body: withMember('"model":"sim/large"') }), 400, 'invalid_request', 'model'],
  ['depth 5 000', () => ({ body: nested(5_000) }), 400, 'invalid_request', 'body'],
  [
    'half a million keys',
    () => ({ body: withMember(`"a":{${Array.from({ length: 500_000 }, (_, i) => `"k${i}":1`).join(',')}}`) }),
    400,
    'invalid_request',
    'body',
  ],
  ['a body of 11 MB', () => ({ body: Buffer.alloc(11 * 1024 * 1024, 0x20) }), 413, 'request_too_large'],
  ['an announced 11 MB', () => ({ headers: [`Content-Length: ${11 * 1024 * 1024}`] }), 413, 'request_too_large'],
  ['another media type', () => ({ body: chat, headers: ['Content-Type: text/plain'] }), 415, 'unsupported_media_type'],
  ['an encoded body', () => ({ body: chat, headers: ['Content-Encoding: br'] }), 415, 'unsupported_media_type'],
  ['a body that is not gzip', () => ({ body: chat, headers: ['Content-Encoding: gzip'] }), 400, 'invalid_request'],
  ['no model', () => ({ body: '{"messages":[{"role":"user"}]}' }), 400, 'invalid_request', 'model'],
  ['no messages', () => ({ body: '{"model":"sim/echo","messages":[]}' }), 400, 'invalid_request', 'messages'],
  ['n out of range', () => ({ body: withMember('"n":1000') }), 400, 'invalid_request', 'n'],
  ['stream of the wrong type', () => ({ body: withMember('"stream":"yes"') }), 400, 'invalid_request', 'stream'],
  ['a hostile max_tokens', () => ({ body: withMember('"max_tokens":-1') }), 400, 'invalid_request', 'max_tokens'],
]

const heads: readonly Case[] = [
  ['two Host headers', () => ({ headers: ['Host: a', 'Host: b'], body: chat }), 400, 'invalid_request'],
  ['an absolute-form target', () => ({ target: 'http://x/v1/models', method: 'GET' }), 400, 'invalid_request'],
  ['dot segments', () => ({ target: '/v1/../v1/models', method: 'GET' }), 400, 'invalid_request'],
  ['encoded dot segments', () => ({ target: '/v1/%2e%2e/x', method: 'GET' }), 400, 'invalid_request'],
  ['an encoded slash', () => ({ target: '/v1%2fmodels', method: 'GET' }), 400, 'invalid_request'],
  ['dots behind a model id', () => ({ target: '/v1/models/a%2F..%2Fb', method: 'GET' }), 400, 'invalid_request'],
  ['an empty segment', () => ({ target: '/v1//models', method: 'GET' }), 400, 'invalid_request'],
  ['an encoded NUL', () => ({ target: '/v1/models/%00', method: 'GET' }), 400, 'invalid_request'],
  ['an encoded backslash', () => ({ target: '/v1/models/%5c', method: 'GET' }), 400, 'invalid_request'],
  ['both framings', () => ({ headers: ['Content-Length: 1', 'Transfer-Encoding: chunked'] }), 400, 'invalid_request'],
  [
    'a long tag',
    () => ({ headers: [`X-Svc-Tag: ${'t'.repeat(65)}`], body: chat }),
    400,
    'invalid_request',
    'X-Svc-Tag',
  ],
  [
    'a tag of other bytes',
    () => ({ headers: ['X-Svc-Tag: caf\xe9'], body: chat }),
    400,
    'invalid_request',
    'X-Svc-Tag',
  ],
  ['CR in a tag', () => ({ headers: ['X-Svc-Tag: a\rb'], body: chat }), 400, 'invalid_request'],
  [
    'a long trace id',
    () => ({ headers: [`X-Svc-Trace-Id: ${'t'.repeat(129)}`], body: chat }),
    400,
    'invalid_request',
    'X-Svc-Trace-Id',
  ],
  ['an unknown path', () => ({ target: '/v1/nothing', method: 'GET' }), 404, 'unknown_url'],
  ['a sibling of a path', () => ({ target: '/v1/models-admin', method: 'GET' }), 404, 'unknown_url'],
  ['another method', () => ({ method: 'DELETE' }), 405, 'method_not_allowed'],
  [
    'an unknown query key',
    () => ({ target: '/v1/models?limmit=1', method: 'GET' }),
    400,
    'unknown_parameter',
    'limmit',
  ],
]

const keys: readonly (readonly [string, readonly string[]])[] = [
  ['no key', ['Authorization:']],
  ['a malformed key', ['Authorization: Bearer nonsense']],
  ['another scheme', ['Authorization: Basic dTpw']],
  ['a 10 KB key', [`Authorization: Bearer sk_svc_${'a'.repeat(10_000)}`]],
  ['two keys', ['Authorization: Bearer a', 'Authorization: Bearer b']],
  ['SQL in a key', ["Authorization: Bearer sk_svc_' OR 1=1 --"]],
]

describe('hostile input', () => {
  it.each([...bodies, ...heads].map((each): [string, Case] => [each[0], each]))('%s', async (_name, each) => {
    const [, sent, status, code, param] = each
    const answer = await send(sent())
    expect(answer.status).toBe(status)
    const { error } = JSON.parse(answer.body) as { error: Record<string, unknown> }
    expect(error).toMatchObject({ code, message: expect.any(String), type: expect.any(String) })
    if (param !== undefined) expect(error.param).toBe(param)
    expect(answer.body).not.toMatch(/node_modules|at \w+ \(|SELECT/)
  })

  it.each(keys)('%s is refused like any other bad key', async (_name, headers) => {
    const answer = await send({ headers, body: chat })
    const { error } = JSON.parse(answer.body) as { error: Record<string, unknown> }
    expect(answer.status).toBe(401)
    expect(error).toMatchObject({ code: 'invalid_api_key', type: 'invalid_request_error', param: null })
  })

  it('leaves a healthy fleet and a correct ledger', async () => {
    expect((await send({ body: chat })).status).toBe(200)
    expect(fleet.edges[0]?.log.join('\n')).not.toContain(fleet.workspace.apiKey)
    expect(fleet.inference.log.join('\n')).not.toContain(fleet.workspace.apiKey)
  })
})
