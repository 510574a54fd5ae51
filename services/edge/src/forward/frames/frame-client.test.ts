import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { eventually } from '@ratchet/testing/eventually'
import {
  bodyOf,
  type FramedEdge,
  type FramedEdgeOptions,
  type FramedListener,
  startFramedEdge,
  startRelay,
} from './framed-service.fixture.ts'

const stops: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function framedEdge(listener: FramedListener, options?: FramedEdgeOptions): Promise<FramedEdge> {
  const framed = await startFramedEdge(listener, options)
  stops.push(() => framed.stop())
  return framed
}

const answerOk: FramedListener = (request, response) => {
  void bodyOf(request).then(() => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 9 })
    response.end('in frames')
  })
}

function respond(response: Parameters<FramedListener>[1], status: number): void {
  response.writeHead(status, {})
  response.end()
}

/** Echoes the body, with a head that names its length. */
const echo: FramedListener = (request, response) => {
  void bodyOf(request).then((bytes) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length })
    response.end(bytes)
  })
}

describe('a request in frames', () => {
  it('arrives as it would over HTTP: target, allowed headers, id and signed identity', async () => {
    const seen: unknown[] = []
    const framed = await framedEdge((request, response) => {
      seen.push([request.method, request.originalUrl, request.path, { ...request.headers }])
      answerOk(request, response)
    })
    const response = await framed.send({ body: '{"a":1}', headers: { 'idempotency-key': 'k', cookie: 'c=1' } })
    expect([response.status, await response.text()]).toEqual([200, 'in frames'])
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(seen).toEqual([
      [
        'POST',
        '/v1/chat/completions',
        '/v1/chat/completions',
        expect.objectContaining({
          'content-type': 'application/json',
          'content-length': '7',
          'idempotency-key': 'k',
          [requestIdHeader]: response.headers.get(requestIdHeader),
          [identityHeader]: expect.stringMatching(/^v1\.k1\./),
        }),
      ],
    ])
    expect(JSON.stringify(seen)).not.toContain('cookie')
    expect(framed.http.requests).toEqual([])
  })

  it.each([
    ['with a length', (bytes: Buffer) => bytes],
    ['in chunks', (bytes: Buffer) => new Blob([new Uint8Array(bytes)]).stream()],
  ])('carries bodies and answers beyond their credit, sent %s', async (_name, bodyFrom) => {
    const framed = await framedEdge(echo)
    const bytes = randomBytes(3_000_000)
    const response = await framed.send({ body: bodyFrom(bytes) as Uint8Array, duplex: 'half' } as RequestInit)
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
    expect(framed.http.requests).toEqual([])
  })

  it('shares its connection with many others, each with its own answer', async () => {
    const framed = await framedEdge(echo)
    const bodies = Array.from({ length: 100 }, (_, i) => String(i).repeat(i * 50 + 1))
    const answers = await Promise.all(bodies.map(async (body) => (await framed.send({ body })).text()))
    expect(answers).toEqual(bodies)
  })

  it('is answered with 413 when its body without a length is too large', async () => {
    const closed = Promise.withResolvers<void>()
    const framed = await framedEdge((request) => {
      request.on('data', () => undefined)
      request.once('close', closed.resolve)
    })
    const body = new Blob([new Uint8Array(11 * 1_048_576)]).stream()
    const response = await framed.send({ body, duplex: 'half' } as RequestInit)
    expect(response.status).toBe(413)
    await closed.promise
  })
})

describe('an answer in frames', () => {
  it('is passed on as it is written', async () => {
    const go = Promise.withResolvers<void>()
    const framed = await framedEdge((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: a\n\n')
      void go.promise.then(() => response.end('data: b\n\n'))
    })
    const { body } = await framed.send()
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('data: a\n\n')
    go.resolve()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('data: b\n\n')
    expect((await reader.read()).done).toBe(true)
  })

  it('waits for a client that does not read, while others are answered', async () => {
    const piece = Buffer.alloc(65_536, 'x')
    const [pieces, state] = [200, { sent: 0, drains: 0 }]
    const framed = await framedEdge((request, response) => {
      if (request.headers['idempotency-key'] !== 'slow') return answerOk(request, response)
      response.writeHead(200, { 'content-type': 'text/plain' })
      const fill = () => {
        while (state.sent < pieces) {
          state.sent += 1
          if (!response.write(piece)) {
            state.drains += 1
            return void response.once('drain', fill)
          }
        }
        response.end()
      }
      fill()
    })
    const slow = await framed.send({ headers: { 'idempotency-key': 'slow' } })
    for (let i = 0; i < 20; i++) expect(await (await framed.send()).text()).toBe('in frames')
    // What was written fills the buffers between the two, and no more.
    expect(state.sent).toBeLessThan(pieces)
    expect((await slow.arrayBuffer()).byteLength).toBe(pieces * piece.length)
    expect(state.drains).toBeGreaterThan(10)
  })

  it('ends for the service when its client reads nothing for too long', async () => {
    const closed = Promise.withResolvers<void>()
    const piece = Buffer.alloc(65_536, 'x')
    const framed = await framedEdge(
      (_request, response) => {
        response.once('close', closed.resolve)
        response.writeHead(200, { 'content-type': 'text/plain' })
        const fill = () => {
          while (!response.destroyed && response.write(piece));
          response.once('drain', fill)
        }
        fill()
      },
      { stalledClientMs: 200 },
    )
    await framed.send()
    await closed.promise
    expect(await framed.edge.metric('ratchet_edge_client_disconnects_total')).toContain('reason="stalled"')
  })

  it('ends for the service when the client disconnects', async () => {
    const closed = Promise.withResolvers<void>()
    const framed = await framedEdge((_request, response) => {
      response.once('close', closed.resolve)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: a\n\n')
    })
    const leaving = new AbortController()
    await framed.send({ signal: leaving.signal })
    leaving.abort()
    await closed.promise
    expect(await framed.edge.metric('ratchet_edge_client_disconnects_total')).toContain('"disconnected",} 1')
  })

  it('is cut for the client when the service cuts it', async () => {
    const framed = await framedEdge((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: a\n\n', () => response.destroy())
    })
    await expect((await framed.send()).text()).rejects.toThrow()
    expect(await framed.edge.metric('ratchet_edge_upstream_failures_total')).toContain('"cut",} 1')
  })

  it.each<[string, FramedListener, number]>([
    ['a 401 of the service', (_request, response) => respond(response, 401), 502],
    ['no answer', (_request, response) => response.destroy(), 502],
  ])('becomes a 502 for %s, and is not sent again', async (_name, listener, status) => {
    let calls = 0
    const framed = await framedEdge((request, response) => {
      calls += 1
      listener(request, response)
    })
    expect((await framed.send()).status).toBe(status)
    expect([calls, framed.http.requests.length]).toEqual([1, 0])
  })
})

describe('the connection of frames', () => {
  it('is replaced by HTTP at once when it is lost, and used again when it is back', async () => {
    const framed = await framedEdge(answerOk)
    expect(await (await framed.send()).text()).toBe('in frames')
    framed.frames.destroy()
    for (let i = 0; i < 5; i++) {
      const response = await framed.send()
      expect([response.status, await response.text()]).toEqual([200, 'over http'])
    }
    await framed.restart()
    expect(await (await framed.send()).text()).toBe('in frames')
    expect(await framed.edge.metric('ratchet_edge_frames_lost_total')).toContain('} 1')
  })

  it('breaks the requests that were sent when it is lost, as HTTP does', async () => {
    const arrived = Promise.withResolvers<void>()
    const framed = await framedEdge(() => arrived.resolve())
    const answer = framed.send()
    await arrived.promise
    framed.frames.destroy()
    expect((await answer).status).toBe(502)
    expect(framed.http.requests).toEqual([])
  })

  it('ends in order when the service drains: running requests are finished, new ones go over HTTP', async () => {
    const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const framed = await framedEdge((request, response) => {
      arrived.resolve()
      void go.promise.then(() => answerOk(request, response))
    })
    const running = framed.send()
    await arrived.promise
    framed.frames.drain()
    await eventually(async () => expect(await (await framed.send()).text()).toBe('over http'))
    go.resolve()
    expect(await (await running).text()).toBe('in frames')
    await framed.frames.closed()
  })

  it('is not used while its peer is silent; what runs on it continues', async () => {
    const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const relays: Awaited<ReturnType<typeof startRelay>>[] = []
    const framed = await framedEdge(
      (request, response) => {
        arrived.resolve()
        void go.promise.then(() => answerOk(request, response))
      },
      {
        async through(address) {
          const relay = await startRelay(address, (bytes) => bytes)
          relays.push(relay)
          stops.push(relay.stop)
          return relay.address
        },
      },
    )
    const running = framed.send()
    await arrived.promise
    go.resolve()
    for (const relay of relays) relay.freeze()
    // Requests that are sent before the silence is noticed wait for the peer, as they do over HTTP.
    const signal = () => ({ signal: AbortSignal.timeout(500) })
    const sent = () =>
      framed.send(signal()).then(
        (response) => response.text(),
        () => 'no answer',
      )
    await eventually(async () => expect(await sent()).toBe('over http'), { withinMs: 45_000 })
    for (const relay of relays) relay.thaw()
    expect(await (await running).text()).toBe('in frames')
    await eventually(async () => expect(await sent()).toBe('in frames'), { withinMs: 45_000 })
  }, 40_000)

  it('is not used when the keys differ', async () => {
    const framed = await framedEdge(answerOk, { serviceSecret: randomBytes(32), awaitConnection: false })
    await eventually(() => expect(framed.refusals).toContain('unproved'))
    expect(await (await framed.send()).text()).toBe('over http')
  })

  it.each<[string, (bytes: Buffer) => Buffer | readonly Buffer[]]>([
    ['changed', (bytes) => Buffer.from(bytes.map((byte, i) => (i === bytes.length - 20 ? byte ^ 1 : byte)))],
    ['replayed', (bytes) => [bytes, bytes]],
  ])('ends when bytes on it are %s, and nothing of them is served twice', async (_name, change) => {
    let isOn = false
    let calls = 0
    const framed = await framedEdge(
      (request, response) => {
        calls += 1
        answerOk(request, response)
      },
      {
        async through(address) {
          const relay = await startRelay(address, (bytes) => (isOn ? change(bytes) : bytes))
          stops.push(relay.stop)
          return relay.address
        },
      },
    )
    isOn = true
    await framed.send()
    expect(framed.refusals).toContain('broken')
    expect(calls).toBeLessThanOrEqual(1)
  })

  it.each([
    ['frames without a proof', Buffer.from('00000015010000000100000d504f53540a2f76312f63686174', 'hex')],
    ['HTTP', Buffer.from('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n')],
  ])('serves nothing to a peer that sends %s', async (_name, bytes) => {
    let calls = 0
    const framed = await framedEdge(() => {
      calls += 1
    })
    const { port } = framed.frames.address as { port: number }
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes)).on('error', () => undefined)
    await new Promise((resolve) => socket.once('close', resolve).resume())
    expect([calls, framed.refusals]).toEqual([0, ['unproved']])
  })
})
