import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { KeyIdentity } from '@ratchet/contracts/identity'
import { eventually } from '@ratchet/testing/eventually'
import { recordingLogger } from '@ratchet/testing/recording-logger'
import { extraEndpoints, startService, startTestEdge, type TestEdgeOptions } from '../edge.fixture.ts'
import { exchangeBytes, head, openWire } from '../wire.fixture.ts'

/*
 * Answers when services or clients fail, through both kinds of forwarder. Every `path` leads to the same scripted
 * service.
 */
const forwarders = [
  ['the dispatch forwarder', '/v1/chat/completions', 'inference'],
  ['http-proxy-middleware', '/v1/things', 'logging'],
] as const

const someone = {
  keyId: '00000000-0000-7000-8000-000000000001',
  userId: '00000000-0000-7000-8000-000000000002',
  workspaceId: '00000000-0000-7000-8000-000000000003',
}
const requestCount = 'http_server_request_duration_seconds'

const stops: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function setUp(listener: RequestListener, options: TestEdgeOptions = {}) {
  const service = await startService(listener)
  stops.push(service.stop)
  return { service, ...(await edgeBefore(service.origin, options)) }
}

async function edgeBefore(origin: string, options: TestEdgeOptions = {}) {
  const edge = await startTestEdge({ origin, endpoints: extraEndpoints, ...options })
  stops.push(edge.stop)
  return { edge, auth: `Authorization: Bearer ${edge.mint()}` }
}

/** Sends a request and resolves when the head of the answer has arrived. */
async function send(port: number, path: string, auth: string, body?: string | Buffer): Promise<IncomingMessage> {
  const method = body === undefined ? 'GET' : 'POST'
  const outgoing = httpRequest({
    port,
    path,
    method,
    host: '127.0.0.1',
    headers: { authorization: auth.slice(15) },
    agent: false,
  })
  outgoing.end(body)
  stops.push(() => outgoing.destroy())
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  return answer
}

const readAndAnswer =
  (answer: (response: ServerResponse, request: IncomingMessage) => void): RequestListener =>
  (request, response) => {
    request.resume()
    request.on('end', () => answer(response, request))
  }

describe.each(forwarders)('through %s', (_name, path, serviceName) => {
  it('delivers the head of a stream before its first event, and each event immediately', async () => {
    let stream: ServerResponse | undefined
    const { edge, auth } = await setUp(
      readAndAnswer((response) => {
        stream = response
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      }),
    )
    const answer = await send(edge.port, path, auth, '{}')
    expect(answer.headers['content-type']).toBe('text/event-stream')
    let received = ''
    answer.setEncoding('utf8').on('data', (piece) => {
      received += piece
    })
    for (const [i, letter] of [...'0123456789'].entries()) {
      stream?.write(letter)
      await eventually(() => received.length === i + 1)
    }
    stream?.end()
    await once(answer, 'end')
    expect(received).toBe('0123456789')
  })

  it('delivers what arrived and cuts the connection when the service dies in the middle of a stream', async () => {
    const { edge, auth } = await setUp(
      readAndAnswer((response) => {
        response.write('data: one\n\n')
        setTimeout(() => response.destroy(), 30)
      }),
    )
    const wire = openWire(edge.port)
    wire.socket.write(head(`POST ${path}`, 'Host: a', auth, 'Content-Length: 0'))
    await wire.closed
    expect(wire.text()).toContain('data: one\n\n')
    expect(wire.text()).not.toContain('\r\n0\r\n')
    expect(await edge.metric('ratchet_edge_upstream_failures_total')).toContain('reason="cut"')
  })

  it('cuts the connection when an answer ends before its declared length', async () => {
    const { edge, auth } = await setUp(
      readAndAnswer((response) => {
        response.writeHead(200, { 'content-length': 1_000 }).write('x'.repeat(10))
        setTimeout(() => response.destroy(), 30)
      }),
    )
    const answer = await send(edge.port, path, auth, '{}')
    await expect(text(answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('stops the service within 100 ms after the client disconnected', async () => {
    let stoppedAt = 0
    const { edge, auth } = await setUp(
      readAndAnswer((response) => {
        const timer = setInterval(() => response.write('data: x\n\n'), 5)
        response.on('close', () => {
          clearInterval(timer)
          stoppedAt = performance.now()
        })
      }),
    )
    const answer = await send(edge.port, path, auth, '{}')
    await once(answer, 'data')
    const leftAt = performance.now()
    answer.destroy()
    await eventually(() => stoppedAt > 0)
    expect(stoppedAt - leftAt).toBeLessThan(100)
  })

  it('stops the service when the client disconnects before the head of the answer', async () => {
    let isStopped = false
    const { edge, auth, service } = await setUp((_request, response) => {
      response.on('close', () => {
        isStopped = true
      })
    })
    const wire = openWire(edge.port)
    wire.socket.write(`${head(`POST ${path}`, 'Host: a', auth, 'Content-Length: 2')}{}`)
    await eventually(() => service.requests.length === 1)
    wire.socket.destroy()
    await eventually(() => isStopped)
    await eventually(async () =>
      expect(await edge.metric('ratchet_edge_client_disconnects_total')).toContain('reason="disconnected"'),
    )
  })

  it('sends nothing for a client that disconnected while its key was read', async () => {
    let answerLookUp: (() => void) | undefined
    const keys = {
      verify: () =>
        new Promise<KeyIdentity>((resolve) => {
          answerLookUp = () => resolve({ ...someone, role: 'owner' })
        }),
    }
    const { edge, service } = await setUp((_request, response) => response.end(), { keys })
    const wire = openWire(edge.port)
    wire.socket.write(`${head(`POST ${path}`, 'Host: a', 'Content-Length: 2')}{}`)
    await eventually(() => answerLookUp !== undefined)
    wire.socket.destroy()
    await eventually(async () => expect(await edge.metric(requestCount)).toContain('http_route="none"'))
    answerLookUp?.()
    await exchangeBytes(edge.port, head('GET /healthz', 'Host: a'))
    expect(service.requests).toEqual([])
  })

  it('ends all answers on a connection when the service dies during the first', async () => {
    const { edge, auth } = await setUp(
      readAndAnswer((response) => {
        response.write('one')
        setTimeout(() => response.destroy(), 30)
      }),
    )
    const wire = openWire(edge.port)
    const bytes = head(`POST ${path}`, 'Host: a', auth, 'Content-Length: 0')
    wire.socket.write(bytes + bytes)
    await wire.closed
    expect(wire.text().match(/HTTP\/1.1 200/g)).toHaveLength(1)
  })

  it('applies back-pressure to the service while the client does not read, then delivers every byte', async () => {
    const total = 48 * 1024 * 1024
    const piece = Buffer.alloc(64 * 1024, 'x')
    let written = 0
    const { edge, auth } = await setUp(
      readAndAnswer((response) => {
        const pump = () => {
          while (written < total) {
            written += piece.length
            if (!response.write(piece)) return void response.once('drain', pump)
          }
          response.end()
        }
        pump()
      }),
    )
    const answer = await send(edge.port, path, auth, '{}')
    answer.pause()
    let before = -1
    const hasStopped = () => {
      const stopped = written === before
      before = written
      return stopped
    }
    await eventually(hasStopped, { everyMs: 100 })
    // The size of the kernel's socket buffers, twice; far less than the answer.
    expect(written).toBeLessThan(total / 2)
    let received = 0
    for await (const chunk of answer) received += chunk.length
    expect(received).toBe(total)
  })

  it('answers 503 with Retry-After when the service is not running', async () => {
    const { edge, auth } = await edgeBefore('http://127.0.0.1:1')
    const answer = await exchangeBytes(edge.port, `${head(`POST ${path}`, 'Host: a', auth, 'Content-Length: 2')}{}`)
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    expect(JSON.parse(answer.body).error).toMatchObject({
      code: 'service_unavailable',
      request_id: answer.headers['x-request-id'],
    })
  })

  it('answers 502 when the service closes the connection, and does not send a body twice', async () => {
    const { edge, auth, service } = await setUp(readAndAnswer((response) => response.destroy()))
    const answer = await exchangeBytes(edge.port, `${head(`POST ${path}`, 'Host: a', auth, 'Content-Length: 2')}{}`)
    expect(answer.status).toBe(502)
    const { error } = JSON.parse(answer.body)
    expect(error).toMatchObject({ code: null, type: 'upstream_error' })
    expect(error.message).toContain(error.request_id)
    expect(service.requests).toHaveLength(1)
  })

  it('answers 502 and logs an error when the service refuses the identity', async () => {
    const { logger, lines } = recordingLogger()
    const { edge, auth } = await setUp(
      readAndAnswer((response) => {
        response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"code":"invalid_api_key"}}')
      }),
      { logger },
    )
    const answer = await exchangeBytes(edge.port, `${head(`POST ${path}`, 'Host: a', auth, 'Content-Length: 2')}{}`)
    expect(answer.status).toBe(502)
    expect(JSON.parse(answer.body).error).toMatchObject({ code: null, type: 'upstream_error' })
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'identity_refused', service: serviceName, level: 50 }),
    )
  })

  it('forwards an answer without its hop-by-hop headers', async () => {
    const { edge, auth } = await setUp(
      readAndAnswer((response) => {
        response.writeHead(207, [
          ...['Content-Type', 'text/plain', 'X-Svc-Cost-Usd', '1', 'X-Hop', 'h', 'Connection', 'keep-alive, X-Hop'],
          ...['X-Internal-Secret', 's', 'X-Request-Id', 'theirs', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'],
          ...['Cache-Control', 'max-age=1', 'X-Powered-By', 'p', 'Content-Length', '2'],
        ])
        response.end('ok')
      }),
    )
    const { status, headers, body } = await exchangeBytes(
      edge.port,
      head(`POST ${path}`, 'Host: a', auth, 'Content-Length: 0'),
    )
    const { date: _date, ...rest } = headers
    expect({ status, body, headers: rest }).toEqual({
      status: 207,
      body: 'ok',
      headers: {
        'content-type': 'text/plain',
        'content-length': '2',
        'x-svc-cost-usd': '1',
        'set-cookie': 'a=1, b=2',
        'cache-control': 'max-age=1',
        'x-content-type-options': 'nosniff',
        'x-request-id': headers['x-request-id'],
        connection: 'keep-alive',
        'keep-alive': 'timeout=5',
      },
    })
    expect(headers['x-request-id']).not.toBe('theirs')
  })

  it('delivers an answer that arrives before the body was read', async () => {
    const { edge, auth } = await setUp((_request, response) => {
      response.writeHead(400, { 'content-length': 5, connection: 'close' }).end('early')
    })
    const wire = openWire(edge.port)
    wire.socket.write(`${head(`POST ${path}`, 'Host: a', auth, 'Transfer-Encoding: chunked')}5\r\nhello\r\n`)
    await eventually(() => wire.text().endsWith('early'))
    expect(wire.text()).toMatch(/^HTTP\/1.1 400/)
    wire.socket.destroy()
  })

  it('forwards a request of one-byte packets and chunks', async () => {
    const { edge, auth } = await setUp((request, response) => {
      void text(request).then((body) => response.end(body))
    })
    const bytes = head(`POST ${path}`, 'Host: a', auth, 'Transfer-Encoding: chunked')
    const body = [...'hello'].map((letter) => `1\r\n${letter}\r\n`).join('')
    const wire = openWire(edge.port)
    wire.socket.setNoDelay(true)
    for (const byte of `${bytes}${body}0\r\n\r\n`) {
      wire.socket.write(byte)
      await new Promise(setImmediate)
    }
    await eventually(() => wire.text().includes('hello'))
    wire.socket.destroy()
  })

  it('reuses a connection to the service, and opens another after the service closed it', async () => {
    const sockets = new Set<unknown>()
    const { edge, auth, service } = await setUp((request, response) => {
      sockets.add(request.socket)
      request.resume()
      request.on('end', () => response.end('{}'))
    })
    for (let i = 0; i < 3; i++) expect((await send(edge.port, path, auth, '{}')).statusCode).toBe(200)
    expect(sockets.size).toBe(1)
    service.requests[0]?.socket.end()
    await once(service.requests[0]?.socket as never, 'close')
    expect((await send(edge.port, path, auth, '{}')).statusCode).toBe(200)
    expect(sockets.size).toBe(2)
  })

  it('sends 100 Continue only for a body that it accepts', async () => {
    const { edge, auth } = await setUp((request, response) => {
      void text(request).then((body) => response.end(body))
    })
    const refused = openWire(edge.port)
    refused.socket.write(head(`POST ${path}`, 'Host: a', 'Expect: 100-continue', 'Content-Length: 5'))
    await eventually(() => refused.text().includes('invalid_api_key'))
    expect(refused.text()).toMatch(/^HTTP\/1.1 401/)
    const tooLarge = openWire(edge.port)
    tooLarge.socket.write(head(`POST ${path}`, 'Host: a', auth, 'Expect: 100-continue', 'Content-Length: 99999999'))
    await eventually(() => tooLarge.text().includes('request_too_large'))
    expect(tooLarge.text()).toMatch(/^HTTP\/1.1 413/)
    const welcome = openWire(edge.port)
    welcome.socket.write(head(`POST ${path}`, 'Host: a', auth, 'Expect: 100-continue', 'Content-Length: 5'))
    await eventually(() => welcome.text().includes('100 Continue'))
    welcome.socket.write('hello')
    await eventually(() => welcome.text().includes('hello'))
    for (const { socket } of [refused, tooLarge, welcome]) socket.destroy()
  })
})
