import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { ErrorEnvelope } from '@ratchet/contracts/errors'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import { silentLogger } from '@ratchet/testing/silent-logger'
import type { Router } from 'express'
import { anyFreePort } from '../process/any-free-port.ts'
import { createDrain } from '../process/drain.ts'
import { runStops, type Stop } from '../process/run-process.ts'
import { serveService } from '../process/serve-service.ts'
import { createHttpApp } from './http-app.ts'
import { type ServeOptions, serveHttp } from './serve-http.ts'
import type { ServedResponse } from './served.ts'

/** Far longer than any test, so that an earlier end has another reason. */
const longMs = 60_000

const sockets: Socket[] = []
const services: { stop(): Promise<void>; hurry: AbortController }[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const { stop, hurry } of services.splice(0)) {
    hurry.abort()
    await stop()
  }
})

function parts(routes: (router: Router) => void = () => undefined) {
  const stops: Stop[] = []
  const hurry = new AbortController()
  const drain = createDrain()
  const metrics = createProcessMetrics('test')
  const health = { drain, checks: {}, now: () => new Date() }
  const app = createHttpApp({
    logger: silentLogger,
    metrics,
    health,
    requestId: () => 'r1',
    serveMetrics: true,
    routes,
  })
  const lifecycle = { onStop: (stop: Stop) => void stops.push(stop), hurry: hurry.signal }
  const warnings: object[] = []
  const logger = { warn: (fields: object) => void warnings.push(fields) }
  const stop = () => runStops(stops, silentLogger)
  const service = { app, metrics, health, lifecycle, logger, drain, hurry, stop, warnings }
  services.push(service)
  return service
}

async function serve(options: Partial<ServeOptions> & { routes?: (router: Router) => void } = {}) {
  const service = parts(options.routes)
  const { drain, lifecycle, app: listener } = service
  const common = { listener, port: 0, host: '127.0.0.1', drain, drainDelayMs: 0, drainTimeoutMs: longMs, lifecycle }
  return { ...service, port: await serveHttp({ ...common, ...options }) }
}

interface Client {
  readonly socket: Socket
  /** Everything received so far. */
  text(): string
  readonly closed: Promise<unknown>
}

function dial(port: number): Client {
  const socket = connect({ port, host: '127.0.0.1' })
  sockets.push(socket)
  let text = ''
  socket.setEncoding('utf8').on('data', (piece) => {
    text += piece
  })
  socket.on('error', () => undefined)
  return { socket, text: () => text, closed: new Promise((resolve) => socket.once('close', resolve)) }
}

/** Sends one GET on a keep-alive connection. */
function get(port: number, path: string): Client {
  const client = dial(port)
  client.socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`)
  return client
}

async function refuses(port: number): Promise<void> {
  await eventually(async () => {
    const socket = connect({ port, host: '127.0.0.1' })
    sockets.push(socket)
    await expect(once(socket, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
}

/** A stream that the test ends. */
function gatedStream() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const routes = (router: Router) =>
    void router.get('/stream', async (_request, response) => {
      response.write('begun;')
      await opened
      response.end('whole')
    })
  return { routes, open: () => open() }
}

it('first fails readiness, still answers, and sends Connection: close', async () => {
  const { port, stop, hurry } = await serve({ drainDelayMs: longMs })
  const before = get(port, '/healthz')
  await eventually(() => expect(before.text()).toContain('200 OK'))
  expect(before.text()).not.toMatch(/connection: close/i)

  const stopped = stop()

  const probe = get(port, '/readyz')
  await eventually(() => expect(probe.text()).toMatch(/503 Service Unavailable.*connection: close.*draining/is))
  const call = get(port, '/healthz')
  await eventually(() => expect(call.text()).toMatch(/200 OK.*connection: close/is))
  await call.closed
  hurry.abort()
  await stopped
  await refuses(port)
})

it('then refuses connections, and lets a running stream end', async () => {
  const { routes, open } = gatedStream()
  const { port, stop } = await serve({ routes })
  const stream = get(port, '/stream')
  await eventually(() => expect(stream.text()).toContain('begun;'))

  const stopped = stop()
  await refuses(port)
  open()

  await stopped
  await stream.closed
  // A chunk of length 0: the answer ended, it was not cut.
  expect(stream.text()).toMatch(/begun;.*whole\r\n0\r\n\r\n$/s)
})

it('keeps a connection whose stream has ended for the next request of the client', async () => {
  const { routes, open } = gatedStream()
  const { port, stop } = await serve({ routes, drainDelayMs: 300 })
  const client = get(port, '/stream')
  await eventually(() => expect(client.text()).toContain('begun;'))

  const stopped = stop()
  open()
  await refuses(port)
  expect(client.text()).toMatch(/begun;.*whole\r\n0\r\n\r\n$/s)
  client.socket.write('GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n')

  await client.closed
  expect(client.text()).toMatch(/whole.*200 OK.*connection: close.*\{"status":"ok"\}$/is)
  await stopped
})

it('advertises a shorter keep-alive time than it keeps connections, and than a drain takes', async () => {
  const { port } = await serve()
  const client = get(port, '/healthz')
  await eventually(() => expect(client.text()).toMatch(/keep-alive: timeout=5\r\n/i))
})

it('closes connections without a running request instead of waiting for their clients', async () => {
  const { port, stop } = await serve()
  const idle = get(port, '/healthz')
  await eventually(() => expect(idle.text()).toContain('200 OK'))
  const silent = dial(port)
  const halfway = dial(port)
  halfway.socket.write('GET / HTTP/1.1\r\nHost:')
  await Promise.all([silent, halfway].map(({ socket }) => once(socket, 'connect')))

  await stop()

  await Promise.all([idle, silent, halfway].map(({ closed }) => closed))
})

it('expires streams at the deadline, and lets them write their last event', async () => {
  const service = await serve({
    drainTimeoutMs: 50,
    routes: (router) =>
      void router.get('/stream', async (_request, response) => {
        response.write('begun;')
        await once(service.drain.deadline, 'abort')
        response.end('ended early')
      }),
  })
  const stream = get(service.port, '/stream')
  await eventually(() => expect(stream.text()).toContain('begun;'))

  await service.stop()

  await stream.closed
  expect(stream.text()).toMatch(/begun;.*ended early\r\n0\r\n\r\n$/s)
})

it('cuts a request that does not end', async () => {
  const { routes } = gatedStream()
  const { port, stop } = await serve({ drainTimeoutMs: 0, routes })
  const stream = get(port, '/stream')
  await eventually(() => expect(stream.text()).toContain('begun;'))

  await stop()
  await stream.closed

  expect(stream.text()).not.toMatch(/\r\n0\r\n\r\n$/)
}, 10_000)

it('waits only for last events after a second signal', async () => {
  const { routes, open } = gatedStream()
  const service = await serve({ drainDelayMs: longMs, routes })
  const stream = get(service.port, '/stream')
  await eventually(() => expect(stream.text()).toContain('begun;'))

  const stopped = service.stop()
  service.hurry.abort()

  await eventually(() => expect(service.drain.deadline.aborted).toBe(true))
  open()
  await stopped
  await stream.closed
  expect(stream.text()).toContain('whole')
})

it.each([
  ['no HTTP', 'hello\r\n\r\n', '400 Bad Request', 'invalid_request'],
  ['a header without a colon', 'GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n', '400 Bad Request', 'invalid_request'],
  ['a blank before the colon', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n', '400 Bad Request', 'invalid_request'],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    '400 Bad Request',
    'invalid_request',
  ],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    '400 Bad Request',
    'invalid_request',
  ],
  [
    '20 KB of headers',
    `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    '431 Request Header Fields Too Large',
    'invalid_request',
  ],
  ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', '400 Bad Request', 'invalid_request'],
])('answers %s with the envelope and closes', async (_, bytes, statusLine, code) => {
  const { port } = await serve()
  const client = dial(port)

  client.socket.write(bytes)
  await client.closed

  const [head = '', body = ''] = client.text().split('\r\n\r\n')
  expect(head.split('\r\n')[0]).toBe(`HTTP/1.1 ${statusLine}`)
  expect(head).toMatch(/content-type: application\/json/i)
  const { error } = ErrorEnvelope.parse(JSON.parse(body))
  expect(error.code).toBe(code)
  expect(head).toContain(`x-request-id: ${error.request_id}`)
})

const pace = { firstByteMs: 300, windowMs: 300, minBytes: 1_000, everyMs: 20 }

/** Counts the bytes of a body, and answers how it ended. */
const countBody = (router: Router) =>
  router.post('/', async (request, response) => {
    let bytes = 0
    for await (const chunk of request) bytes += (chunk as Buffer).length
    response.json({ bytes })
  })

/** Sends a body in pieces, one every 50 ms, and resolves with the answer. */
async function sendSlowly(port: number, { pieces, bytes }: { pieces: number; bytes: number }): Promise<string> {
  const client = dial(port)
  client.socket.write(`POST / HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: ${pieces * bytes}\r\n\r\n`)
  let left = pieces
  const sending = setInterval(() => {
    if (left > 0) client.socket.write('x'.repeat(bytes))
    left -= 1
  }, 50)
  await client.closed
  clearInterval(sending)
  return client.text()
}

it('disconnects a client that sends its body too slowly', async () => {
  const { port } = await serve({ routes: countBody, bodyPace: pace })
  const answer = await sendSlowly(port, { pieces: 1_000, bytes: 10 })
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(answer).toContain('"code":"request_timeout"')
})

it.each([
  ['nothing of it arrives', '', 408],
  ['its first bytes came with the head', 'half', 200],
])('waits less for a body of which %s', async (_, begun, status) => {
  const { port } = await serve({ routes: countBody, bodyPace: { ...pace, firstByteMs: 100, windowMs: 60_000 } })
  const client = dial(port)
  client.socket.write(`POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 8\r\n\r\n${begun}`)
  // The watch must have checked the body several times.
  const rest = setTimeout(() => client.socket.write('rest\r\n'.padStart(8 - begun.length)), 600)
  await eventually(() => expect(client.text()).toContain('\r\n\r\n'))
  clearTimeout(rest)
  client.socket.destroy()
  expect(client.text()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(client.text().toLowerCase()).toContain(status === 408 ? 'connection: close' : 'connection: keep-alive')
})

it('accepts a large body as long as it arrives fast enough', async () => {
  const { port } = await serve({ routes: countBody, bodyPace: pace })
  const answer = await sendSlowly(port, { pieces: 20, bytes: 1_000 })
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(answer).toContain('{"bytes":20000}')
})

it('allows an answer that takes longer than a body may', async () => {
  const { port } = await serve({
    bodyPace: pace,
    routes: (router) =>
      router.post('/', async (request, response) => {
        for await (const _chunk of request);
        await elapse(3 * pace.windowMs)
        response.json({})
      }),
  })
  expect(await sendSlowly(port, { pieces: 1, bytes: 10 })).toMatch(/^HTTP\/1\.1 200 /)
})

it('fails at the start when the port is used', async () => {
  const { port } = await serve()

  await expect(serve({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

it('answers probes on the admin port until the service has stopped', async () => {
  const { routes, open } = gatedStream()
  const service = parts(routes)
  const adminPort = await anyFreePort()
  const config = { PORT: 0, HOST: '127.0.0.1', ADMIN_PORT: adminPort, DRAIN_DELAY_MS: 0, DRAIN_TIMEOUT_MS: longMs }
  const port = await serveService(config, service)
  const stream = get(port, '/stream')
  await eventually(() => expect(stream.text()).toContain('begun;'))

  const stopped = service.stop()
  await refuses(port)

  const probes = [get(adminPort, '/healthz'), get(adminPort, '/readyz'), get(adminPort, '/metrics')]
  await eventually(() =>
    expect(probes.map((probe) => probe.text().split('\r\n')[0])).toEqual([
      'HTTP/1.1 200 OK',
      'HTTP/1.1 503 Service Unavailable',
      'HTTP/1.1 200 OK',
    ]),
  )
  open()
  await stopped
  await refuses(adminPort)
  expect(service.warnings).toEqual([])
})

it('logs that it cut requests', async () => {
  const { routes, open } = gatedStream()
  const service = parts(routes)
  const port = await serveService({ PORT: 0, HOST: '127.0.0.1', DRAIN_DELAY_MS: 0, DRAIN_TIMEOUT_MS: 50 }, service)
  const stream = get(port, '/stream')
  await eventually(() => expect(stream.text()).toContain('begun;'))

  const stopped = service.stop()

  await eventually(() => expect(service.warnings).toEqual([{ event: 'drain_overran', timeoutMs: 50 }]))
  open()
  await stopped
})

it.each([
  ['is lost when its connection is reset', 'resetAndDestroy', true],
  ['is not lost when it closes its connection', 'destroy', undefined],
] as const)('the peer of a request %s', async (_what, how, isPeerLost) => {
  const ended = Promise.withResolvers<unknown>()
  const began = Promise.withResolvers<void>()
  const { port } = await serve({
    routes: (router) => {
      router.get('/never', (_request, response) => {
        const served: ServedResponse = response
        response.once('close', () => ended.resolve(served.isPeerLost))
        began.resolve()
      })
    },
  })
  const client = get(port, '/never')
  await began.promise
  client.socket[how]()
  expect(await ended.promise).toBe(isPeerLost)
})
