import { brandOf } from '@ratchet/contracts/brand'
import { headReader } from './read-head.ts'

const readHead = headReader(brandOf())
const host = ['Host', 'any']

it('forwards the headers of the allow-list in lower case, and no others', () => {
  const { forwarded } = readHead([
    ...host,
    ...['Content-Type', 'application/json', 'Accept', '*/*', 'Accept-Encoding', 'gzip', 'User-Agent', 'OpenAI/JS'],
    ...[
      'Idempotency-Key',
      'k',
      'traceparent',
      '00-1-2-01',
      'tracestate',
      'a=b',
      'X-Svc-Tag',
      't',
      'x-svc-anything',
      'v',
    ],
    ...['Authorization', 'Bearer x', 'Cookie', 'c', 'X-Forwarded-For', '1.2.3.4', 'Forwarded', 'for=1.2.3.4'],
    ...['X-Request-Id', 'mine', 'OpenAI-Organization', 'o', 'X-Stainless-Lang', 'js', 'Proxy-Authorization', 'p'],
    ...['X-Api-Key', 'k', 'Anthropic-Version', '2023-06-01', 'Anthropic-Beta', 'b'],
    ...['Content-Length', '12', 'TE', 'trailers', 'Upgrade', 'h2c', 'X-Svc', 'no'],
  ])
  expect(forwarded).toEqual([
    ...['content-type', 'application/json', 'accept', '*/*', 'accept-encoding', 'gzip', 'user-agent', 'OpenAI/JS'],
    ...[
      'idempotency-key',
      'k',
      'traceparent',
      '00-1-2-01',
      'tracestate',
      'a=b',
      'x-svc-tag',
      't',
      'x-svc-anything',
      'v',
    ],
    ...['anthropic-version', '2023-06-01', 'anthropic-beta', 'b'],
  ])
})

it('drops and counts every spelling of an internal header', () => {
  const head = readHead([...host, 'X-Internal-Identity', 'v', 'x_internal_workspace', 'v', 'X-Internal_Role', 'v'])
  expect(head).toMatchObject({ forwarded: [], spoofedCount: 3 })
})

it('drops the headers that Connection names', () => {
  const { forwarded } = readHead([
    ...host,
    'Accept',
    'a',
    'X-Svc-Tag',
    't',
    'Connection',
    'close, X-Svc-Tag',
    'X-Svc-A',
    'b',
  ])
  expect(forwarded).toEqual(['accept', 'a', 'x-svc-a', 'b'])
})

it('reads the length, the chunks and the compression of the body', () => {
  expect(readHead([...host])).toMatchObject({ contentLength: null, isChunked: false, expectsContinue: false })
  expect(readHead([...host, 'Content-Length', '0'])).toMatchObject({ contentLength: 0 })
  expect(readHead([...host, 'Transfer-Encoding', 'Chunked'])).toMatchObject({ contentLength: null, isChunked: true })
  expect(readHead([...host, 'Expect', '100-Continue'])).toMatchObject({ expectsContinue: true })
})

it('forwards Content-Encoding: gzip, for the endpoints that accept it', () => {
  expect(readHead([...host, 'Content-Encoding', 'GZip'])).toMatchObject({
    isGzipped: true,
    forwarded: ['content-encoding', 'gzip'],
  })
  expect(readHead([...host, 'Content-Encoding', 'identity'])).toMatchObject({ isGzipped: false, forwarded: [] })
})

it('reads Authorization only when there is one', () => {
  expect(readHead([...host, 'Authorization', 'Bearer a']).authorization).toBe('Bearer a')
  expect(readHead([...host, 'Authorization', 'Bearer a', 'authorization', 'Bearer b']).authorization).toBeNull()
  expect(readHead(host).authorization).toBeNull()
})

it('does not forward x-api-key, and joins several, so that none is a valid key', () => {
  expect(readHead([...host, 'X-Api-Key', 'k'])).toMatchObject({ apiKey: 'k', forwarded: [] })
  expect(readHead([...host, 'x-api-key', 'a', 'X-API-KEY', 'a'])).toMatchObject({ apiKey: 'a, a', forwarded: [] })
  expect(readHead([...host, 'api-key', 'k'])).toMatchObject({ apiKey: 'k', forwarded: [] })
  expect(readHead([...host, 'x-goog-api-key', 'k', 'api-key', 'l'])).toMatchObject({ apiKey: 'k, l', forwarded: [] })
  expect(readHead(host).apiKey).toBeNull()
})

it('ignores x-api-key beside several Authorization headers', () => {
  const head = readHead([...host, 'Authorization', 'Bearer a', 'Authorization', 'Bearer a', 'X-Api-Key', 'a'])
  expect(head).toMatchObject({ authorization: null, apiKey: null })
})

it('counts Host headers, because HTTP/1.0 may have none', () => {
  expect(readHead([]).hostCount).toBe(0)
  expect(readHead(host).hostCount).toBe(1)
})

it.each([
  ['two Host headers', ['Host', 'b'], 'invalid_request'],
  ['a method override', ['X-HTTP-Method-Override', 'DELETE'], 'invalid_request'],
  ['another method override', ['X-Method-Override', 'DELETE'], 'invalid_request'],
  ['a transfer coding besides chunked', ['Transfer-Encoding', 'gzip, chunked'], 'invalid_request'],
  ['an unknown expectation', ['Expect', 'a miracle'], 'invalid_request'],
  ['another coding of the body', ['Content-Encoding', 'br'], 'unsupported_media_type'],
  ['two codings in one', ['Content-Encoding', 'gzip, gzip'], 'unsupported_media_type'],
  ['gzip twice', ['Content-Encoding', 'gzip', 'Content-Encoding', 'gzip'], 'unsupported_media_type'],
])('refuses %s', (_what, headers, code) => {
  expect(() => readHead([...host, ...headers])).toThrow(expect.objectContaining({ code }))
})

it.each([
  ['X-Svc-Tag', 'caf\u00e9'],
  ['X-Svc-Tag', 'a\tb'],
  ['X-Svc-Trace-Id', 'a'.repeat(129)],
  ['X-Svc-Trace-Id', 'a b'],
  ['X-Svc-Trace-Id', 'a\u007f'],
])('refuses %s: %j, and names the header', (name, value) => {
  expect(() => readHead([...host, name, value])).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: name }),
  )
})

it('refuses a tag given twice, also when Connection names it', () => {
  expect(() => readHead([...host, 'X-Svc-Tag', 'a', 'x-svc-tag', 'b'])).toThrow(
    expect.objectContaining({ param: 'X-Svc-Tag' }),
  )
  expect(readHead([...host, 'User-Agent', 'x-svc-tag', 'X-Svc-Tag', 'a']).forwarded).toContain('a')
})

it('reads the headers of another brand', () => {
  const { forwarded } = headReader(brandOf('Acme'))([...host, 'X-Acme-Tag', 't', 'X-Svc-Tag', 'u'])
  expect(forwarded).toEqual(['x-acme-tag', 't'])
})

describe('the trace of a client', () => {
  const trace = '0af7651916cd43dd8448eb211c80319c'
  const traceparent = ['traceparent', `00-${trace}-b7ad6b7169203331-01`]

  it('is that of traceparent, which is forwarded as well', () => {
    const forwarded = [...traceparent, 'x-svc-trace-id', trace]
    expect(readHead([...host, ...traceparent]).forwarded).toEqual(forwarded)
  })

  it('is the one of its own header when both are given, in any order', () => {
    const named = ['x-svc-trace-id', 'run-1']
    expect(readHead([...host, ...traceparent, ...named]).forwarded).toEqual([...traceparent, ...named])
    expect(readHead([...host, ...named, ...traceparent]).forwarded).toEqual([...named, ...traceparent])
  })

  it.each([
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `ff-${trace}-b7ad6b7169203331-01`,
    `00-${trace.toUpperCase()}-b7ad6b7169203331-01`,
    `00-${trace}-b7ad6b7169203331`,
    'nonsense',
    '',
  ])('is none for the invalid traceparent %j', (value) => {
    expect(readHead([...host, 'traceparent', value]).forwarded).toEqual(['traceparent', value])
  })
})
