import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveHttp } from '@ratchet/service-kit/http/serve-http'
import { createDrain } from '@ratchet/service-kit/process/drain'
import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { openWire } from '../wire.fixture.ts'
import { createMediaTunnel, type MediaTunnelOptions } from './media-tunnel.ts'

const stops: Stop[] = []
afterEach(() => runStops(stops.splice(0), silentLogger))

const call = `/media/call_${'a'.repeat(32)}`
const asked = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: k\r\nCookie: a=b\r\n\r\n`

/** Everything that comes until the connection ends. */
async function answerTo(port: number, bytes: string): Promise<string> {
  const wire = openWire(port)
  wire.socket.write(bytes)
  await wire.closed
  return wire.text()
}

/** A worker that answers an upgrade with the head that it got, and closes. */
async function startWorker() {
  const heads: NodeJS.Dict<string | string[]>[] = []
  const worker = createServer().listen(0, '127.0.0.1')
  worker.on('upgrade', (request, socket) => {
    heads.push(request.headers)
    socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\nhello')
  })
  await once(worker, 'listening')
  stops.push(() => void worker.close())
  return { heads, origin: `http://127.0.0.1:${(worker.address() as AddressInfo).port}` }
}

async function startEdge(options: Partial<MediaTunnelOptions> & Pick<MediaTunnelOptions, 'origin'>): Promise<number> {
  const drain = createDrain()
  const tunnel = { clientAddressOf: () => '192.0.2.1', newId: () => 'request-1', deadline: drain.deadline, ...options }
  return serveHttp({
    listener: (_request, response) => void response.writeHead(404).end(),
    upgrades: createMediaTunnel(tunnel),
    port: 0,
    host: '127.0.0.1',
    drain,
    drainDelayMs: 0,
    drainTimeoutMs: 100,
    lifecycle: { onStop: (stop) => void stops.push(stop), hurry: new AbortController().signal },
  })
}

it('joins a caller with a worker, which gets no other headers than those of a WebSocket', async () => {
  const { heads, origin } = await startWorker()
  const answer = await answerTo(await startEdge({ origin }), asked(call))
  expect(answer).toMatch(/^HTTP\/1\.1 101 [\s\S]*hello$/)
  expect(heads).toEqual([
    {
      host: 'voice-worker',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'k',
      'x-request-id': 'request-1',
    },
  ])
})

it('refuses with the table of the interface while no worker answers, and when too many are open', async () => {
  const { origin } = await startWorker()
  const closed = await startEdge({ origin: 'http://127.0.0.1:1' })
  const full = await startEdge({ origin, maxOpen: 0 })
  for (const port of [closed, full]) {
    const answer = await answerTo(port, asked(call))
    expect(answer).toMatch(/^HTTP\/1\.1 503 /)
    expect(answer).toContain('x-request-id: request-1')
    expect(answer).toContain('"code":"SERVICE_UNAVAILABLE"')
  }
})

it('joins carriers by the paths that they were given, more of one address than callers', async () => {
  const { heads, origin } = await startWorker()
  const stream = `${call}/twilio/${'a'.repeat(43)}`
  const port = await startEdge({ origin, maxOpen: 4, maxOpenPerAddress: 0 })
  expect(await answerTo(port, asked(call))).toMatch(/^HTTP\/1\.1 503 /)
  expect(await answerTo(port, asked(stream))).toMatch(/^HTTP\/1\.1 101 /)
  expect(heads).toHaveLength(1)
})

it.each(['/media/other', '/v1/agents', `${call}/more`, `${call}/twilio/short`, `${call}/other/${'a'.repeat(43)}`])(
  'is no tunnel to %s',
  async (path) => {
    const { heads, origin } = await startWorker()
    const bytes = asked(path).replace('Connection: Upgrade', 'Connection: close')
    expect(await answerTo(await startEdge({ origin }), bytes)).toMatch(/^HTTP\/1\.1 404 /)
    expect(heads).toEqual([])
  },
)
