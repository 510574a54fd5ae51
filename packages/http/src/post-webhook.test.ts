import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createTcpServer } from 'node:net'
import { type RecordType, startNameServer } from '@ratchet/testing/name-server'
import { postWebhook } from './post-webhook.ts'
import { publicResolver } from './resolve-host.ts'

const rules = { customHosts: true, allowedHosts: new Set<string>(), loopbackHttp: true }
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0)) await step()
})

/** The URL of a server with this answer. */
async function receiver(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  undo.push(() => server.close().closeAllConnections())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const post = (url: string) => postWebhook({ url, rules, headers: { 'webhook-id': 'msg_1' }, body: '{"type":"a"}' })

it('posts the body to the path with its query', async () => {
  const got: unknown[] = []
  const url = await receiver(async (request, response) => {
    const { 'webhook-id': id, 'content-type': type } = request.headers
    got.push([request.method, request.url, id, type, Buffer.concat(await request.toArray()).toString()])
    response.writeHead(204).end()
  })
  expect(await post(`${url}/hooks?team=a`)).toEqual({ status: 204, error: null })
  expect(await post(`${url}?team=a`)).toEqual({ status: 204, error: null })
  expect(got).toEqual([
    ['POST', '/hooks?team=a', 'msg_1', 'application/json', '{"type":"a"}'],
    ['POST', '/?team=a', 'msg_1', 'application/json', '{"type":"a"}'],
  ])
})

it.each([301, 307, 400, 410, 500])('%i counts as not accepted, and is not followed', async (status) => {
  let calls = 0
  const url = await receiver((_request, response) => {
    calls += 1
    response.writeHead(status, { location: '/elsewhere' }).end()
  })
  expect(await post(url)).toEqual({ status, error: `It was answered with ${status}.` })
  expect(calls).toBe(1)
})

it('uses the status, whatever the rest of the answer is', async () => {
  const endless = await receiver((_request, response) => {
    response.writeHead(200)
    const write = () => response.write(Buffer.alloc(65_536), (error) => error ?? write())
    write()
  })
  expect(await post(endless)).toEqual({ status: 200, error: null })
  const cut = await receiver((_request, response) => {
    response.writeHead(202, { 'content-length': '10' }).write('1', () => response.destroy())
  })
  expect(await post(cut)).toEqual({ status: 202, error: null })
})

it('reports why there is no answer, and opens no connection to a refused address', async () => {
  const url = await receiver((request) => request.destroy())
  expect(await post(url)).toEqual({ status: null, error: 'It could not be sent: the call failed: cut.' })
  for (const step of undo.splice(0)) await step()
  expect(await post(url)).toEqual({ status: null, error: 'It could not be sent: the call failed: connect.' })
  expect(await post('https://10.0.0.1/')).toEqual({
    status: null,
    error: 'The URL is refused: the address 10.0.0.1 is not public.',
  })
})

describe('a name', () => {
  /** Listens on every address of this machine. */
  async function canary() {
    const connections: unknown[] = []
    const server = createTcpServer((socket) => {
      connections.push(socket.localAddress)
      socket.destroy()
    }).listen(0, '::')
    undo.push(() => server.close())
    await once(server, 'listening')
    return { port: (server.address() as AddressInfo).port, connections }
  }

  /** Addresses for the first, second, and any later query of a type. */
  type Answers = Readonly<Partial<Record<RecordType, readonly (readonly string[])[]>>>

  it.each<readonly [string, Answers]>([
    ['stands for this machine', { A: [['127.0.0.1']] }],
    ['stands for this machine in IPv6', { AAAA: [['::1']] }],
    ['stands for a mapped address', { AAAA: [['::ffff:7f00:1']] }],
    ['stands for a public address and for this machine', { A: [['203.0.112.1', '127.0.0.1']] }],
    ['stands for a public address and for this machine in IPv6', { A: [['203.0.112.1']], AAAA: [['::1']] }],
    [
      'is public at the first query and this machine later',
      { A: [['203.0.112.1'], ['127.0.0.1']], AAAA: [[], ['::1']] },
    ],
    ['changes its address at each query', { A: [['127.0.0.1'], ['203.0.112.1'], ['127.0.0.1']] }],
    ['stands for the metadata of the cloud', { A: [['169.254.169.254']] }],
  ])(
    'that %s leads to no connection inside',
    async (_how, answers) => {
      const { port, connections } = await canary()
      const asked = { A: 0, AAAA: 0 }
      const names = await startNameServer((_name, type) => {
        const each = answers[type] ?? []
        return each[Math.min(asked[type]++, each.length - 1)] ?? []
      })
      undo.push(names.stop)
      const message = { url: `https://hooks.example.com:${port}/`, headers: {}, body: '{}' }
      const outside = { customHosts: true, allowedHosts: new Set<string>() }
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const answer = await postWebhook({ ...message, rules: outside, resolve: publicResolver([names.address]) })
        expect(answer).toMatchObject({ status: null, error: expect.any(String) })
      }
      expect([asked.A, asked.AAAA]).toEqual([3, 3])
      expect(connections).toEqual([])
    },
    30_000,
  )
})
