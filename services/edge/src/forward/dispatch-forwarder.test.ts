import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import { eventually } from '@ratchet/testing/eventually'
import { extraEndpoints, startService, startTestEdge, type TestEdgeOptions } from '../edge.fixture.ts'
import { exchangeBytes, head, openWire } from '../wire.fixture.ts'

/* Behaviour that only the dispatch forwarder has. */

const stops: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const path = '/v1/chat/completions'

async function edgeBefore(origin: string, options: TestEdgeOptions = {}) {
  const edge = await startTestEdge({ origin, endpoints: extraEndpoints, ...options })
  stops.push(edge.stop)
  return { edge, auth: `Authorization: Bearer ${edge.mint()}` }
}

/** A service for which the test writes the bytes of each connection. */
async function startBytes(onConnection: (socket: Socket, index: number) => void): Promise<string> {
  let connections = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    onConnection(socket, connections++)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

const answerOk = (socket: Socket) =>
  socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))

it.each([
  [1, 200],
  [2, 502],
])(
  'retries a read once when the connection ends before an answer: after %i such ends the status is %i',
  async (ends, status) => {
    let connections = 0
    const origin = await startBytes((socket, index) => {
      connections += 1
      if (index >= ends) return void answerOk(socket)
      socket.on('data', () => socket.destroy())
    })
    const { edge, auth } = await edgeBefore(origin)
    await expect(exchangeBytes(edge.port, head('GET /v1/models', 'Host: a', auth))).resolves.toMatchObject({ status })
    expect(connections).toBe(2)
    expect(await edge.metric('ratchet_edge_upstream_retries_total')).toMatch(/ 1$/m)
  },
)

it('resets the connection of an HTTP/1.0 client, which takes its end for the end of the answer', async () => {
  const origin = await startBytes((socket) => {
    socket.on('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n')
      setTimeout(() => socket.destroy(), 30)
    })
  })
  const { edge, auth } = await edgeBefore(origin)
  const wire = openWire(edge.port)
  wire.socket.write(`POST ${path} HTTP/1.0\r\nHost: a\r\n${auth}\r\nContent-Length: 2\r\n\r\n{}`)
  await expect(wire.closed).resolves.toBe(true)
})

it('disconnects a client that reads nothing for too long, and stops the service', async () => {
  let isStopped = false
  const origin = await startBytes((socket) => {
    socket.on('close', () => {
      isStopped = true
    })
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      const piece = `10000\r\n${'x'.repeat(65_536)}\r\n`
      const pump = () => {
        while (!socket.destroyed && socket.write(piece));
        socket.once('drain', pump)
      }
      pump()
    })
  })
  const { edge, auth } = await edgeBefore(origin, { stalledClientMs: 100 })
  const wire = openWire(edge.port)
  wire.socket.pause()
  wire.socket.write(`${head(`POST ${path}`, 'Host: a', auth, 'Content-Length: 2')}{}`)
  await eventually(() => isStopped)
  expect(await edge.metric('ratchet_edge_client_disconnects_total')).toContain('reason="stalled"')
  wire.socket.destroy()
})

it('applies back-pressure to a client that sends faster than the service reads', async () => {
  let taken: Socket | undefined
  const origin = await startBytes((socket) => {
    taken = socket.pause()
  })
  const size = 64 * mebibyte // more than the buffers of the kernel take on both connections
  const isCalled = (endpoint: Endpoint) => endpoint.path === path
  const endpoints = extraEndpoints.map((known) => (isCalled(known) ? { ...known, maxBodyBytes: size } : known))
  const { edge, auth } = await edgeBefore(origin, { endpoints })
  const wire = openWire(edge.port)
  wire.socket.write(head(`POST ${path}`, 'Host: a', auth, `Content-Length: ${size}`))
  wire.socket.write(Buffer.alloc(size))
  let before = -1
  await eventually(
    () => {
      const [last, now] = [before, wire.socket.writableLength]
      before = now
      return last === now
    },
    { everyMs: 150 },
  )
  expect(wire.socket.writableLength).toBeGreaterThan(0)
  wire.socket.destroy()
  taken?.destroy()
})

it('forwards a body of many packets completely', async () => {
  const service = await startService((request, response) => {
    void text(request).then((body) => response.end(`${body.length} of ${request.headers['content-length']}`))
  })
  stops.push(service.stop)
  const { edge, auth } = await edgeBefore(service.origin)
  const body = 'x'.repeat(3_000_000)
  const bytes = head(`POST ${path}`, 'Host: a', auth, `Content-Length: ${body.length}`) + body
  await expect(exchangeBytes(edge.port, bytes)).resolves.toMatchObject({
    status: 200,
    body: expect.stringContaining('3000000 of 3000000'),
  })
})

it('counts a chunked body and refuses it at the limit', async () => {
  let isStopped = false
  const service = await startService((request) => {
    request.resume()
    request.on('close', () => {
      isStopped = true
    })
  })
  stops.push(service.stop)
  const { edge, auth } = await edgeBefore(service.origin)
  const wire = openWire(edge.port)
  wire.socket.write(head(`POST ${path}`, 'Host: a', auth, 'Transfer-Encoding: chunked'))
  const piece = Buffer.from(`100000\r\n${'x'.repeat(1_048_576)}\r\n`)
  const rssBefore = process.memoryUsage().rss
  for (let i = 0; i < 64; i++) {
    if (!wire.socket.write(piece)) await once(wire.socket, 'drain')
  }
  await eventually(() => wire.text().includes('request_too_large'))
  expect(wire.text()).toMatch(/^HTTP\/1.1 413/)
  await eventually(() => isStopped)
  expect(process.memoryUsage().rss - rssBefore).toBeLessThan(100 * 1024 * 1024)
  wire.socket.destroy()
})

it('does not forward a malformed answer of a service', async () => {
  const origin = await startBytes((socket) => socket.on('data', () => socket.end('HTTP/1.1 banana\r\n\r\n')))
  const { edge, auth } = await edgeBefore(origin)
  const bytes = `${head(`POST ${path}`, 'Host: a', auth, 'Content-Length: 2')}{}`
  await expect(exchangeBytes(edge.port, bytes)).resolves.toMatchObject({ status: 502 })
})
