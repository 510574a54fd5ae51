import { ErrorEnvelope } from '@ratchet/contracts/errors'
import { eventually } from '@ratchet/testing/eventually'
import { type ScriptedService, startService, startTestEdge, type TestEdge, unknownKey } from './edge.fixture.ts'
import { maxRefusedPerConnection } from './refusals/refused-connections.ts'
import { exchangeBytes, head, openWire } from './wire.fixture.ts'

let edge: TestEdge
let service: ScriptedService
let key: string

beforeAll(async () => {
  service = await startService((request, response) => {
    request.resume()
    request.on('end', () => response.end('{}'))
  })
  edge = await startTestEdge({ origin: service.origin })
  key = edge.mint()
})

afterAll(async () => {
  await edge.stop()
  await service.stop()
})

const chat = 'POST /v1/chat/completions'
const host = 'Host: any'

const twice = (line: string) => [line, line]

interface Case {
  readonly what: string
  readonly bytes: (authorization: string) => string
  readonly status: number
  readonly code: string
  readonly param?: string
}

const cases: Case[] = [
  { what: 'two Host headers', bytes: (a) => head(chat, host, 'Host: other', a), status: 400, code: 'invalid_request' },
  { what: 'no Host header', bytes: (a) => head(chat, a), status: 400, code: 'invalid_request' },
  {
    what: 'an absolute-form target',
    bytes: (a) => head('GET http://any/v1/models', host, a),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'an absolute-form probe',
    bytes: () => head('GET http://any/healthz', host),
    status: 400,
    code: 'invalid_request',
  },
  { what: 'an asterisk target', bytes: (a) => head('OPTIONS *', host, a), status: 400, code: 'invalid_request' },
  {
    what: 'a transfer coding in HTTP/1.0',
    bytes: (a) =>
      `${head(chat, host, a, 'Transfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0')}2\r\n{}\r\n0\r\n\r\n`,
    status: 400,
    code: 'invalid_request',
  },
  { what: 'CONNECT', bytes: (a) => head('CONNECT evil.example:443', host, a), status: 400, code: 'invalid_request' },
  { what: 'TRACE', bytes: (a) => head('TRACE /v1/models', host, a), status: 405, code: 'method_not_allowed' },
  { what: 'a dot segment', bytes: (a) => head('GET /v1/../x', host, a), status: 400, code: 'invalid_request' },
  {
    what: 'an encoded dot segment',
    bytes: (a) => head('GET /v1/%2e%2e/x', host, a),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'a dot segment behind a decoded slash',
    bytes: (a) => head('GET /v1/models/a%2F..%2Fb', host, a),
    status: 400,
    code: 'invalid_request',
  },
  { what: 'an empty segment', bytes: (a) => head('GET //v1/models', host, a), status: 400, code: 'invalid_request' },
  {
    what: 'an encoded slash elsewhere',
    bytes: (a) => head('GET /v1%2Fmodels', host, a),
    status: 400,
    code: 'invalid_request',
  },
  { what: 'an encoded NUL', bytes: (a) => head('GET /v1/models/%00', host, a), status: 400, code: 'invalid_request' },
  {
    what: 'a raw backslash',
    bytes: (a) => head('GET /v1/models/..\\x', host, a),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'a non-ASCII target',
    bytes: (a) => head('GET /v1/mod\u00e8ls', host, a),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'a method override',
    bytes: (a) => head(chat, host, a, 'X-HTTP-Method-Override: DELETE'),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'two lengths',
    bytes: (a) => head(chat, host, a, 'Content-Length: 2', 'Content-Length: 3'),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'a length and chunks',
    bytes: (a) => head(chat, host, a, 'Content-Length: 2', 'Transfer-Encoding: chunked'),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'an unknown transfer coding',
    bytes: (a) => head(chat, host, a, 'Transfer-Encoding: xchunked'),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'another transfer coding before chunked',
    bytes: (a) => head(chat, host, a, 'Transfer-Encoding: gzip, chunked'),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'a space before the colon',
    bytes: (a) => head(chat, host, a, 'Content-Length : 2'),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'a folded header',
    bytes: (a) => head(chat, host, a, 'X-Svc-Tag: a', ' X-Internal-Identity: b'),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'a bare CR in a tag',
    bytes: (a) => head(chat, host, a, 'X-Svc-Tag: a\rX-Internal-Role: owner'),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'a bare LF in a tag',
    bytes: (a) => head(chat, host, a, 'X-Svc-Tag: a\nb'),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'NUL in a tag',
    bytes: (a) => head(chat, host, a, 'X-Svc-Tag: a\u0000b'),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'a tag beyond ASCII',
    bytes: (a) => head(chat, host, a, 'X-Svc-Tag: caf\u00e9'),
    status: 400,
    code: 'invalid_request',
    param: 'X-Svc-Tag',
  },
  {
    what: 'two tags',
    bytes: (a) => head(chat, host, a, 'X-Svc-Tag: a', 'X-Svc-Tag: b'),
    status: 400,
    code: 'invalid_request',
    param: 'X-Svc-Tag',
  },
  {
    what: 'a trace id with a space',
    bytes: (a) => head(chat, host, a, 'X-Svc-Trace-Id: a b'),
    status: 400,
    code: 'invalid_request',
    param: 'X-Svc-Trace-Id',
  },
  {
    what: 'a body in a coding other than gzip',
    bytes: (a) => head(chat, host, a, 'Content-Encoding: br', 'Content-Length: 0'),
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    what: 'an unknown expectation',
    bytes: (a) => head(chat, host, a, 'Expect: miracles'),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'headers over 16 KB',
    bytes: (a) => head(chat, host, a, `X-Svc-A: ${'a'.repeat(20_000)}`),
    status: 431,
    code: 'invalid_request',
  },
  { what: 'no HTTP at all', bytes: () => 'hello\r\n\r\n', status: 400, code: 'invalid_request' },
  {
    what: 'a body over 10 MB',
    bytes: (a) => head(chat, host, a, `Content-Length: ${11 * 1024 * 1024}`),
    status: 413,
    code: 'request_too_large',
  },
  { what: 'no key', bytes: () => head(chat, host), status: 401, code: 'invalid_api_key' },
  { what: 'a key twice', bytes: (a) => head(chat, host, a, a), status: 401, code: 'invalid_api_key' },
  { what: 'a list of keys', bytes: (a) => head(chat, host, `${a}, Bearer x`), status: 401, code: 'invalid_api_key' },
  {
    what: 'a key of 8 KB',
    bytes: () => head(chat, host, `Authorization: Bearer ${'k'.repeat(8_192)}`),
    status: 401,
    code: 'invalid_api_key',
  },
  {
    what: 'a key of 10 KB',
    bytes: () => head(chat, host, `Authorization: Bearer sk_svc_${'k'.repeat(10_240)}`),
    status: 401,
    code: 'invalid_api_key',
  },
  {
    what: 'a key that is SQL',
    bytes: () => head(chat, host, "Authorization: Bearer ' OR 1=1 --"),
    status: 401,
    code: 'invalid_api_key',
  },
  {
    what: 'another scheme',
    bytes: (a) => head(chat, host, a.replace('Bearer', 'Basic')),
    status: 401,
    code: 'invalid_api_key',
  },
  {
    what: 'two x-api-key headers',
    bytes: (a) => head('POST /v1/messages', host, ...twice(a.replace('Authorization: Bearer', 'X-Api-Key:'))),
    status: 401,
    code: 'invalid_api_key',
  },
  {
    what: 'an x-api-key beside two Authorization headers',
    bytes: (a) => head('POST /v1/messages', host, ...twice(a), a.replace('Authorization: Bearer', 'X-Api-Key:')),
    status: 401,
    code: 'invalid_api_key',
  },
  {
    what: 'an x-api-key beside an empty Authorization header',
    bytes: (a) => head('POST /v1/messages', host, 'Authorization:', a.replace('Authorization: Bearer', 'X-Api-Key:')),
    status: 401,
    code: 'invalid_api_key',
  },
  {
    what: 'an x-api-key in front of an encoded path',
    bytes: (a) => head('POST /v1/messages%2F..', host, a.replace('Authorization: Bearer', 'X-Api-Key:')),
    status: 400,
    code: 'invalid_request',
  },
  {
    what: 'a key beside a forged identity header',
    bytes: () => head(chat, host, 'X-Internal-Identity: v1.k1.e30.x'),
    status: 401,
    code: 'invalid_api_key',
  },
  {
    what: 'an unknown URL without a key',
    bytes: () => head('GET /v1/nothing', host),
    status: 401,
    code: 'invalid_api_key',
  },
  { what: 'an unknown URL', bytes: (a) => head('GET /v1/nothing', host, a), status: 404, code: 'unknown_url' },
  { what: 'a sibling of a prefix', bytes: (a) => head('GET /v1/models-x', host, a), status: 404, code: 'unknown_url' },
  {
    what: 'another method',
    bytes: (a) => head('DELETE /v1/chat/completions', host, a),
    status: 405,
    code: 'method_not_allowed',
  },
]

it.each(cases)('answers $what with $status $code in the envelope', async ({ bytes, status, code, param }) => {
  const seenBefore = service.requests.length
  const answer = await exchangeBytes(edge.port, bytes(`Authorization: Bearer ${key}`))
  expect(answer.status).toBe(status)
  const { error } = ErrorEnvelope.parse(JSON.parse(answer.body))
  expect(error).toMatchObject({ code, param: param ?? null })
  expect(answer.headers['x-request-id']).toBe(error.request_id)
  expect(answer.headers['content-type']).toContain('application/json')
  expect(answer.headers['x-content-type-options']).toBe('nosniff')
  expect(service.requests).toHaveLength(seenBefore)
})

it('answers the same for every kind of invalid key', async () => {
  const bodies = new Set<string>()
  for (const authorization of ['X: y', 'Authorization: Bearer', `Authorization: Bearer ${'k'.repeat(8_192)}`]) {
    const { body } = await exchangeBytes(edge.port, head(chat, host, authorization))
    bodies.add(body.replace(/[0-9a-f-]{36}/g, 'id'))
  }
  expect(bodies.size).toBe(1)
})

describe('requests that arrive in one piece', () => {
  const refused = head('GET /v1/m', 'Host: a')
  const answersIn = (text: string) => text.split('HTTP/1.1 ').length - 1

  it.each([
    ['without a key', refused],
    ['with a key that nobody has', head('GET /v1/m', 'Host: a', `Authorization: Bearer ${unknownKey()}`)],
    ['that are malformed', head('GET /v1/a//b', 'Host: a')],
  ])('%s are refused until the connection is closed', async (_what, one) => {
    const wire = openWire(edge.port)
    wire.socket.write(one.repeat(Math.floor(65_536 / one.length)))
    await wire.closed
    expect(answersIn(wire.text())).toBe(maxRefusedPerConnection)
    expect(wire.text().match(/connection: close/gi)).toHaveLength(1)
  })

  it('are answered in order with a key, however many they are', async () => {
    const one = head('GET /v1/models/sim%2Fsmall', host, `Authorization: Bearer ${key}`)
    const wire = openWire(edge.port)
    wire.socket.write(one.repeat(300))
    await eventually(() => answersIn(wire.text()) === 300 || null, { withinMs: 60_000 })
    expect(wire.text()).not.toMatch(/connection: close/i)
    wire.socket.destroy()
  }, 90_000)

  it('are not confused with a connection that a client with a key reuses thousands of times', async () => {
    const one = head('GET /v1/nothing', host, `Authorization: Bearer ${key}`)
    const wire = openWire(edge.port)
    for (let each = 1; each <= 2_000; each += 1) {
      wire.socket.write(one)
      await new Promise((resolve) => wire.socket.once('data', resolve))
    }
    expect(answersIn(wire.text())).toBe(2_000)
    expect(wire.text()).not.toMatch(/connection: close/i)
    wire.socket.destroy()
  }, 90_000)
})

it('answers valid requests after all hostile ones', async () => {
  const bytes = head('GET /v1/models', host, `Authorization: Bearer ${key}`)
  await expect(exchangeBytes(edge.port, bytes)).resolves.toMatchObject({ status: 200 })
})

it('answers a second, malformed request on a connection with the envelope too', async () => {
  const wire = openWire(edge.port)
  wire.socket.write(head('GET /healthz', host))
  await eventually(() => wire.text().endsWith('{"status":"ok"}'))
  wire.socket.write('nonsense\r\n\r\n')
  await wire.closed
  expect(wire.text()).toMatch(/^HTTP\/1.1 200 OK.*HTTP\/1.1 400 Bad Request.*"code":"invalid_request"/s)
})
