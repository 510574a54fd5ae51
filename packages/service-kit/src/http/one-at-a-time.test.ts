import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { createDrain } from '../process/drain.ts'
import { runStops, type Stop } from '../process/run-process.ts'
import { serveHttp, type Upgrades } from './serve-http.ts'

const stops: Stop[] = []
afterEach(() => runStops(stops.splice(0), silentLogger))

function serve(listener: RequestListener, upgrades?: Upgrades): Promise<number> {
  const lifecycle = { onStop: (stop: Stop) => void stops.push(stop), hurry: AbortSignal.abort() }
  const common = { port: 0, host: '127.0.0.1', drain: createDrain(), drainDelayMs: 0, drainTimeoutMs: 0 }
  return serveHttp({ ...common, listener, upgrades, lifecycle })
}

/** Sends bytes in one piece. Resolves with what came until the connection was closed. */
function sendAtOnce(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    let text = ''
    socket.setEncoding('utf8').on('data', (piece) => {
      text += piece
    })
    socket.on('error', () => undefined).once('close', () => resolve(text))
    socket.write(bytes)
  })
}

const get = (path: string, ...more: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: test', ...more].join('\r\n')}\r\n\r\n`
const piece = (count: number) => Array.from({ length: count }, (_, each) => get(`/${each}`)).join('')

/** @param closeAt number of the request whose answer closes the connection */
function counting(closeAt: number) {
  const handled: string[] = []
  let running = 0
  let most = 0
  let inOneTurn = 0
  const turns: number[] = []
  const listener: RequestListener = (request, response) => {
    handled.push(String(request.url))
    running += 1
    most = Math.max(most, running)
    inOneTurn += 1
    if (inOneTurn === 1) {
      setImmediate(() => {
        turns.push(inOneTurn)
        inOneTurn = 0
      })
    }
    queueMicrotask(() => {
      running -= 1
      if (handled.length === closeAt) response.setHeader('connection', 'close')
      response.end(`[${request.url}]`)
    })
  }
  return { listener, handled, most: () => most, mostInOneTurn: () => Math.max(...turns) }
}

describe('requests of a connection that arrive in one piece', () => {
  it('are handled one after the other, in turns of their own, and answered in order', async () => {
    const { listener, handled, most, mostInOneTurn } = counting(100)
    const text = await sendAtOnce(await serve(listener), piece(100))
    expect(text.match(/\[.*?\]/g)).toEqual(Array.from({ length: 100 }, (_, each) => `[/${each}]`))
    expect([handled.length, most()]).toEqual([100, 1])
    expect(mostInOneTurn()).toBeLessThanOrEqual(2)
  })

  it('are dropped behind an answer that closes the connection', async () => {
    const { listener, handled } = counting(3)
    await sendAtOnce(await serve(listener), piece(2_000))
    expect(handled).toEqual(['/0', '/1', '/2'])
  })

  it('may have bodies', async () => {
    const bodies: string[] = []
    const port = await serve((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (part) => {
        body += part
      })
      request.on('end', () => {
        bodies.push(body)
        if (bodies.length === 20) response.setHeader('connection', 'close')
        response.end()
      })
    })
    const sent = Array.from({ length: 20 }, (_, each) => String(each).repeat(50_000))
    const posts = sent.map((body) => `POST / HTTP/1.1\r\nHost: test\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    await sendAtOnce(port, posts.join(''))
    expect(bodies).toEqual(sent)
  })

  it('end the connection when one without an answer is followed by an upgrade', async () => {
    let taken = 0
    const upgrades: Upgrades = {
      accepts: () => true,
      take(_request, socket: Socket) {
        taken += 1
        socket.destroy()
      },
    }
    const port = await serve(() => undefined, upgrades)
    await sendAtOnce(port, get('/slow') + get('/u', 'Upgrade: websocket', 'Connection: Upgrade'))
    expect(taken).toBe(0)
  })
})
