import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createBodyBudget } from '@ratchet/service-kit/http/body-budget'
import { eventually } from '@ratchet/testing/eventually'
import { type ClientOptions, WebSocket, WebSocketServer } from 'ws'
import { createSocketPeer, type SocketPeer } from './socket-peer.ts'
import { slowly } from './sockets.fixture.ts'

interface Connected {
  readonly client: WebSocket
  readonly peer: SocketPeer
  /** The server's side. */
  readonly websocket: WebSocket
  /** Lengths of the messages that arrived. */
  readonly arrived: readonly number[]
  readonly stalls: () => number
  readonly closed: Promise<number>
}

interface ConnectOptions extends ClientOptions {
  readonly pingMs?: number
  readonly stalledClientMs?: number
  /** Between client and server; absent: as fast as it goes. */
  readonly bytesPerMs?: number
  /** Bytes with which every message is answered. */
  readonly replyBytes?: number
}

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function connect(options: ConnectOptions = {}): Promise<Connected> {
  const { pingMs = 30_000, stalledClientMs = 60_000, bytesPerMs, replyBytes = 0, ...rest } = options
  const arrived: number[] = []
  let stalls = 0
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 0, perMessageDeflate: false, autoPong: false })
  const accepted = new Promise<Pick<Connected, 'peer' | 'websocket'>>((resolve) => {
    server.on('upgrade', (request, socket, head) => {
      sockets.handleUpgrade(request, socket, head, (websocket) => {
        const peer: SocketPeer = createSocketPeer({
          websocket,
          socket: socket as Socket,
          pingMs,
          stalledClientMs,
          arriving: createBodyBudget(1_000_000_000).enter('one'),
          newId: randomUUID,
          onMessage(message) {
            arrived.push(message?.length ?? 0)
            if (replyBytes > 0) peer.send(Buffer.alloc(replyBytes, 'x'))
          },
          onNoRoom: () => undefined,
          onDrained: () => undefined,
          onStalled: () => {
            stalls += 1
          },
          onClose: () => undefined,
        })
        resolve({ peer, websocket })
      })
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const slow = bytesPerMs === undefined ? null : await slowly(port, bytesPerMs)
  const client = new WebSocket(`ws://127.0.0.1:${slow?.port ?? port}`, { maxPayload: 0, ...rest })
  client.on('error', () => undefined)
  const closed = new Promise<number>((resolve) => client.once('close', resolve))
  stops.push(() => {
    client.terminate()
    slow?.stop()
    server.close()
  })
  await once(client, 'open')
  return { client, arrived, stalls: () => stalls, closed, ...(await accepted) }
}

describe('a client that does not read', () => {
  it.each([
    ['messages, whose answers wait for it', (client: WebSocket) => client.send('x'.repeat(1_000))],
    ['pings', (client: WebSocket) => client.ping(Buffer.alloc(125))],
  ])(
    'is not read either while it sends %s',
    async (_what, send) => {
      const { client, websocket, closed, stalls } = await connect({ stalledClientMs: 1_000, replyBytes: 10_000 })
      client.pause()
      let isClosed = false
      let most = 0
      void closed.then(() => {
        isClosed = true
      })
      while (!isClosed) {
        for (let each = 0; each < 200 && client.bufferedAmount < 5_000_000; each += 1) send(client)
        most = Math.max(most, websocket.bufferedAmount)
        // A paused client learns nothing of the end.
        if (websocket.readyState === WebSocket.CLOSED) client.terminate()
        await new Promise(setImmediate)
      }
      expect([stalls(), most]).toEqual([1, expect.any(Number)])
      expect(most).toBeLessThan(1_500_000)
    },
    120_000,
  )

  it('gets a long message whole, and in order, when it reads again', async () => {
    const { client, peer } = await connect()
    const got: number[] = []
    client.on('message', (data) => got.push((data as Buffer).length))
    client.pause()
    for (const bytes of [20_000_000, 10, 65_536, 65_537]) peer.send(Buffer.alloc(bytes, 'x'))
    peer.close(1000)
    setTimeout(() => client.resume(), 100)
    expect(await once(client, 'close')).toEqual([1000, expect.anything()])
    expect(got).toEqual([20_000_000, 10, 65_536, 65_537])
  })
})

describe('a client at an ordinary slow speed', () => {
  const speed = { pingMs: 1_500, bytesPerMs: 4_000 }

  it('may send a message for longer than it has to answer a ping', async () => {
    const { client, arrived } = await connect(speed)
    client.send('x'.repeat(24_000_000))
    await eventually(() => arrived.length === 1 || null, { withinMs: 60_000 })
    expect(client.readyState).toBe(WebSocket.OPEN)
  }, 90_000)

  it('may read a message for longer than it has to answer a ping', async () => {
    const { client, peer } = await connect({ ...speed, stalledClientMs: 1_500 })
    const got = once(client, 'message')
    peer.send(Buffer.alloc(40_000_000, 'x'))
    expect(((await got)[0] as Buffer).length).toBe(40_000_000)
  }, 90_000)
})

describe('a pong', () => {
  it('that answers no ping is no sign of life', async () => {
    const { client, closed } = await connect({ pingMs: 500, autoPong: false })
    const timer = setInterval(() => client.pong('anything'), 50)
    stops.push(() => clearInterval(timer))
    expect(await closed).toBe(1006)
  })

  it('to the ping keeps the connection, and pings of the client are answered', async () => {
    const { client } = await connect({ pingMs: 500 })
    let pings = 0
    client.on('ping', () => {
      pings += 1
    })
    await eventually(() => pings >= 4 || null, { withinMs: 45_000 })
    client.ping('hello')
    expect(String((await once(client, 'pong'))[0])).toBe('hello')
  })
})
