import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { callTool } from './call-tool.ts'
import { readResult } from './read-result.ts'
import type { ToolSettings } from './voice-tool.ts'

const secrets = {
  headers: { Authorization: 'Bearer 123456' },
  signing: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
}
const deps = {
  rules: { customHosts: true, allowedHosts: new Set<string>(), loopbackHttp: true },
  now: () => new Date(),
}

let answer: (request: IncomingMessage, response: ServerResponse) => void
let calls = 0
let server: Server
let url = ''
beforeAll(async () => {
  server = createServer((request, response) => {
    calls++
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders?shop=1`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  calls = 0
})

function call(own: Partial<ToolSettings> = {}, target = url, timeout_ms = 2_000) {
  const settings: ToolSettings = {
    description: 'Finds an order.',
    parameters: {},
    side_effects: true,
    speak_after_ms: 700,
    filler: null,
    result_max_bytes: 1_000,
    http: {
      url: target,
      method: 'POST',
      headers: { 'X-Shop': 'one' },
      timeout_ms,
      secret_header_names: ['Authorization'],
    },
    ...own,
  }
  const ids = { callId: 'call_1', toolCallId: 't1' }
  return callTool(deps, { name: 'find_order', settings, secrets, ...ids, arguments: { number: '47' } })
}

const json = (response: ServerResponse, status: number, body: string, headers = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body)
}

it('sends arguments, signed, with its secret headers and one key for all repetitions', async () => {
  let sent: { headers: IncomingMessage['headers']; url: string | undefined; body: string } | undefined
  answer = async (request, response) => {
    sent = { headers: request.headers, url: request.url, body: await text(request) }
    json(response, 200, '{"status":"shipped"}')
  }
  expect(await call()).toEqual({ ok: true, result: '{"status":"shipped"}', status: 200 })
  expect(sent?.url).toBe('/orders?shop=1')
  expect(sent?.headers).toMatchObject({
    authorization: 'Bearer 123456',
    'x-shop': 'one',
    'idempotency-key': 'call_1.t1',
  })
  expect(JSON.parse(sent?.body ?? '')).toEqual({
    call_id: 'call_1',
    tool_call_id: 't1',
    name: 'find_order',
    arguments: { number: '47' },
  })
  const headers = sent?.headers as Record<string, string>
  expect(() => new Webhook(secrets.signing).verify(sent?.body ?? '', headers)).not.toThrow()
})

it('repeats only a call without side effects, once, after a failure that may pass', async () => {
  answer = (_, response) => json(response, 503, '{}')
  expect(await call()).toEqual({ ok: false, result: '[tool failed: status 503]', status: 503 })
  expect(calls).toBe(1)
  expect((await call({ side_effects: false })).status).toBe(503)
  expect(calls).toBe(3)
  answer = (_, response) => json(response, 404, '{}')
  await call({ side_effects: false })
  expect(calls).toBe(4)
})

it('follows no redirect, waits no longer than its time, and reads no more than its maximum', async () => {
  answer = (_, response) => json(response, 302, '', { location: 'http://127.0.0.1:9/secret' })
  expect((await call()).result).toBe('[tool failed: status 302]')
  answer = () => undefined
  expect((await call({}, url, 150)).result).toBe('[tool failed: no answer within 150 ms]')
  answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const write = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', write)
    }
    write()
  }
  const { result } = await call()
  expect(result).toBe(`${'x'.repeat(1_000)}\n[the result was longer, and is cut here]`)
})

it('calls no private address, and no address that is away', async () => {
  expect((await call({}, 'https://10.0.0.1/x')).result).toBe('[tool failed: its address is not allowed]')
  expect((await call({}, 'http://127.0.0.1:1/x')).ok).toBe(false)
  expect((await call({}, 'ftp://example.com')).result).toBe('[tool failed: its address is not allowed]')
})

it('gives a model JSON and text, without secrets and half characters', () => {
  const limits = { maxBytes: 10, secrets: ['Bearer 123456'] }
  expect(readResult('application/json; charset=utf-8', Buffer.from('{"a":1}'), limits)).toBe('{"a":1}')
  expect(readResult('application/problem+json', Buffer.from('{}'), limits)).toBe('{}')
  expect(readResult('', Buffer.from('plain'), limits)).toBe('plain')
  expect(readResult('text/html', Buffer.from('<p>'), limits)).toBeNull()
  expect(readResult('application/octet-stream', Buffer.from([1]), limits)).toBeNull()
  expect(readResult('text/plain', Buffer.from('Bearer 123456'), limits)).toBe('[secret]')
  expect(readResult('text/plain', Buffer.from('aaaaaaaaaé'), limits)).toBe(
    'aaaaaaaaa\n[the result was longer, and is cut here]',
  )
})
