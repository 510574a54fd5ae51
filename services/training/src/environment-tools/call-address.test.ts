import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { hostileUrls } from '@ratchet/http/hostile-urls.fixture'
import { eventually } from '@ratchet/testing/eventually'
import { Webhook } from 'standardwebhooks'
import { type AddressDeps, callAddress } from './call-address.ts'
import type { HttpSettings } from './environment-tool.ts'

const undo: (() => unknown)[] = []
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step()
})

interface Received {
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Answer = (response: ServerResponse, tries: number, request: IncomingMessage) => void

/** A tool on a loopback address. */
async function toolOn(answer: Answer, address = '127.0.0.1') {
  const received: Received[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body })
      answer(response, received.length, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  undo.push(() => server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  return { url: `http://${address}:${port}/tool?x=1`, port, received }
}

const loopback = { customHosts: true, allowedHosts: new Set<string>(), loopbackHttp: true }
const open = { customHosts: true, allowedHosts: new Set<string>() }
const signing = `whsec_${Buffer.alloc(32, 5).toString('base64')}`

const settings: HttpSettings = {
  url: '',
  method: 'POST',
  headers: { 'x-plain': 'yes' },
  secretHeaderNames: ['Authorization'],
  timeoutMs: 2_000,
  maxResponseBytes: 1_000,
  maxConcurrency: 8,
  retries: 1,
}

function call(
  more: Partial<HttpSettings>,
  deps: Partial<AddressDeps> = {},
  headers = { Authorization: 'Bearer s3cret-value' },
) {
  const common = { rules: loopback, now: () => new Date(), delay: async () => undefined }
  const body = { call_id: 'c1', arguments: { city: 'Rome' } }
  const secrets = { headers, signing }
  return callAddress({ ...common, ...deps }, { settings: { ...settings, ...more }, secrets, callId: 'c1', body })
}

const inJson =
  (value: unknown): Answer =>
  (response) =>
    response.end(JSON.stringify(value))

describe('a call', () => {
  it('sends arguments, secrets and a signature that the tool can check', async () => {
    const { url, received } = await toolOn(inJson({ result: 'sunny', done: true, reward: 0.5 }))
    expect(await call({ url })).toEqual({
      ok: true,
      status: 200,
      result: 'sunny',
      truncated: false,
      done: true,
      reward: 0.5,
      error: null,
    })
    const [{ headers, body }] = received as [Received]
    expect(headers).toMatchObject({ 'x-plain': 'yes', authorization: 'Bearer s3cret-value', 'webhook-id': 'c1' })
    expect(new Webhook(signing).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body))
  })

  it.each<[string, Answer, object]>([
    ['a text', (response) => response.end('sunny'), { ok: true, result: 'sunny', reward: null }],
    ['other JSON', inJson({ degrees: 21 }), { ok: true, result: '{"degrees":21}' }],
    ['a result that is no text', inJson({ result: { degrees: 21 } }), { ok: true, result: '{"degrees":21}' }],
    ['a grade', inJson({ reward: 1, detail: 'fine' }), { ok: true, result: 'fine', reward: 1 }],
    ['a reward out of range', inJson({ result: 'x', reward: 7 }), { ok: true, result: 'x', reward: null }],
    ['nothing', (response) => response.end(), { ok: true, result: '' }],
    ['characters that cannot be stored', (response) => response.end('a\0b'), { ok: true, result: 'ab' }],
  ])('reads %s', async (_, answer, expected) => {
    const { url } = await toolOn(answer)
    expect(await call({ url })).toMatchObject(expected)
  })

  it('is repeated once with the same id after 503, 429 and a broken connection', async () => {
    for (const fail of [
      (response: ServerResponse) => response.writeHead(503).end(),
      (response: ServerResponse) => response.writeHead(429).end(),
      (response: ServerResponse) => response.destroy(),
    ]) {
      const { url, received } = await toolOn((response, tries) => (tries === 1 ? fail(response) : response.end('ok')))
      expect(await call({ url })).toMatchObject({ ok: true, result: 'ok' })
      expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(['c1', 'c1'])
      expect(new Set(received.map(({ body }) => body)).size).toBe(1)
    }
  })

  it('is not repeated after a refusal, whose text the model sees', async () => {
    const { url, received } = await toolOn((response) => response.writeHead(404).end('no such city'))
    expect(await call({ url })).toMatchObject({
      ok: false,
      status: 404,
      result: 'The tool answered with 404: no such city',
      error: { code: 'refused' },
    })
    expect(received).toHaveLength(1)
  })
})

describe('a tool that misbehaves', () => {
  it('does not answer in time', async () => {
    const { url, received } = await toolOn(() => undefined)
    expect(await call({ url, timeoutMs: 100 })).toMatchObject({ ok: false, error: { code: 'timeout' } })
    expect(received).toHaveLength(2)
  })

  it('answers one byte at a time', async () => {
    const { url } = await toolOn((response) => {
      const drip = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(drip))
    })
    expect(await call({ url, timeoutMs: 200, retries: 0 })).toMatchObject({ error: { code: 'timeout' } })
  })

  it('answers without an end: the beginning is kept, and the connection closed', async () => {
    let closed = false
    const { url } = await toolOn((response) => {
      const chunk = 'ä'.repeat(50_000)
      const write = () => {
        while (response.write(chunk)) {}
      }
      response.on('drain', write).on('close', () => {
        closed = true
      })
      write()
    })
    const answer = await call({ url, maxResponseBytes: 1_001 })
    expect(answer).toMatchObject({ ok: true, truncated: true, result: 'ä'.repeat(500) })
    await eventually(() => expect(closed).toBe(true))
  })

  it('answers compressed although nobody asked', async () => {
    const { url } = await toolOn((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('bomb'))
    expect(await call({ url })).toMatchObject({ ok: false, error: { code: 'invalid_answer' } })
  })

  it.each([301, 302, 307, 308])(
    'redirects to a private address with %i, which is neither called nor shown',
    async (status) => {
      const inside = await toolOn((response) => response.end('inside'))
      const outside = await toolOn((response) => response.writeHead(status, { location: inside.url }).end(inside.url))
      const answer = await call({ url: outside.url })
      expect(answer).toMatchObject({ ok: false, status, result: `The tool answered with ${status}.` })
      expect(inside.received).toEqual([])
    },
  )

  it.each([200, 400, 500])('sends secrets back with %i: they are blotted out', async (status) => {
    const { url } = await toolOn((response, _, { headers }) =>
      response.writeHead(status).end(JSON.stringify({ result: headers })),
    )
    const answer = await call({ url })
    expect(JSON.stringify(answer)).not.toContain('s3cret-value')
    expect(answer.result).toContain('[secret]')
  })

  it('sends a secret back without its scheme', async () => {
    const { url } = await toolOn((response) => response.writeHead(401).end('Incorrect key: abcdefgh-1234. Use Bearer.'))
    const answer = await call({ url }, {}, { Authorization: 'Bearer abcdefgh-1234' })
    expect(answer.result).toBe('The tool answered with 401: Incorrect key: [secret]. Use Bearer.')
  })

  it('sends a secret back in the escapes of JSON', async () => {
    const escaped = [...'s3cret-value'].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    const { url } = await toolOn((response) => response.end(`{"result":"Bearer ${escaped.join('')}"}`))
    expect((await call({ url })).result).toBe('[secret]')
  })

  it('sends a secret back where its answer is cut', async () => {
    const secret = 'k'.repeat(50)
    for (let before = 960; before < 1_000; before += 7) {
      const { url } = await toolOn((response) => response.end(`${'x'.repeat(before)}${secret}`))
      expect((await call({ url }, {}, { Authorization: secret })).result).not.toContain('kk')
    }
  })
})

describe('addresses that must not be reached', () => {
  it.each(hostileUrls.filter(([url]) => !url.includes('?')))('%j', async (url) => {
    const answer = await call({ url, retries: 0 }, { rules: open })
    expect(answer).toMatchObject({ ok: false, status: null, error: { code: 'unavailable' } })
    expect(answer.result).toMatch(/^The URL is refused: /)
  })

  it.each([
    ['127.0.0.1'],
    ['169.254.169.254'],
    ['10.0.0.1', '8.8.8.8'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['fd00:ec2::254'],
  ])('a name that has the address %s', async (...addresses) => {
    const { port, received } = await toolOn((response) => response.end('inside'))
    const url = `https://tools.example.com:${port}/`
    const resolve = async () => addresses
    expect(await call({ url, retries: 0 }, { rules: open, resolve })).toMatchObject({
      ok: false,
      result: 'The tool could not be reached.',
      error: { code: 'unavailable' },
    })
    expect(received).toEqual([])
  })

  it('a name whose addresses change: they are checked again for each try', async () => {
    const { port, received } = await toolOn((response) => response.end('inside'))
    let asked = 0
    const resolve = async () => (asked++ === 0 ? ['10.0.0.1'] : ['127.0.0.1'])
    const url = `https://tools.example.com:${port}/`
    expect(await call({ url }, { rules: open, resolve })).toMatchObject({ error: { code: 'unavailable' } })
    expect([asked, received]).toEqual([2, []])
  })
})
