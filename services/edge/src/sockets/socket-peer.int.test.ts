import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createTurns } from '@ratchet/http/turns'
import { createBodyBudget } from '@ratchet/service-kit/http/body-budget'
import { eventually } from '@ratchet/testing/eventually'
import { staysTrueFor } from '@ratchet/testing/stays-true-for'
import { type ClientOptions, WebSocket, WebSocketServer } from 'ws'
import { floodLimits, limitPerMinute } from './flood-limit.ts'
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
  readonly floods: () => number
  readonly closed: Promise<number>
}

interface ConnectOptions extends ClientOptions {
  readonly pingMs?: number
  readonly stalledClientMs?: number
  /** Between client and server; absent: as fast as it goes. */
  readonly bytesPerMs?: number
  /** Bytes with which every message is answered. */
  readonly replyBytes?: number
  /** Milliseconds for which a message occupies the thread. */
  readonly workMs?: number
}

const turns = createTurns()

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function connect(options: ConnectOptions = {}): Promise<Connected> {
  const { pingMs = 30_000, stalledClientMs = 60_000, bytesPerMs, replyBytes = 0, workMs = 0, ...rest } = options
  const arrived: number[] = []
  let stalls = 0
  let floods = 0
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
          turns,
          newId: randomUUID,
          onMessage(message) {
            occupy(workMs)
            arrived.push(message?.length ?? 0)
            if (replyBytes > 0) peer.send(Buffer.alloc(replyBytes, 'x'))
          },
          onNoRoom: () => undefined,
          onFlood: () => {
            floods += 1
          },
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
  return { client, arrived, stalls: () => stalls, floods: () => floods, closed, ...(await accepted) }
}

function occupy(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

/** Sends texts in one piece, as a client may that writes frames itself. */
function sendAtOnce(client: WebSocket, text: string, count: number): void {
  const { _socket: socket } = client as unknown as { readonly _socket: Socket }
  const frame = Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0, ...Buffer.from(text)])
  socket.write(Buffer.concat(Array<Buffer>(count).fill(frame)))
}

describe('a client that does not read', () => {
  it('is not read either while it sends messages, whose answers wait for it', async () => {
    const { client, websocket, closed, stalls } = await connect({ stalledClientMs: 1_000, replyBytes: 10_000 })
    client.pause()
    let isClosed = false
    let most = 0
    void closed.then(() => {
      isClosed = true
    })
    while (!isClosed) {
      for (let each = 0; each < 200 && client.bufferedAmount < 5_000_000; each += 1) client.send('x'.repeat(1_000))
      most = Math.max(most, websocket.bufferedAmount)
      // A paused client learns nothing of the end.
      if (websocket.readyState === WebSocket.CLOSED) client.terminate()
      await new Promise(setImmediate)
    }
    expect([stalls(), most]).toEqual([1, expect.any(Number)])
    expect(most).toBeLessThan(1_500_000)
  }, 120_000)

  it('is told nothing of what had arrived before it stopped, and then everything in order', async () => {
    const { client, arrived } = await connect({ replyBytes: 50_000 })
    const got: number[] = []
    client.on('message', (data) => got.push((data as Buffer).length))
    client.pause()
    sendAtOnce(client, '{}', 600)
    await eventually(() => arrived.length > 0 || null)
    await staysTrueFor(300, () => arrived.length < 500)
    client.resume()
    await eventually(() => got.length === 600 || null, { withinMs: 60_000 })
    expect(arrived).toHaveLength(600)
  }, 180_000)

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

describe('clients that send thousands of tiny messages in one piece', () => {
  it('leave the thread to others after a few of them', async () => {
    const clients = await Promise.all(Array.from({ length: 4 }, () => connect({ workMs: 1 })))
    const arrived = () => clients.reduce((sum, each) => sum + each.arrived.length, 0)
    for (const { client } of clients) sendAtOnce(client, '{}', 300)
    let most = 0
    for (let before = 0; before < 1_200; ) {
      await new Promise(setImmediate)
      most = Math.max(most, arrived() - before)
      before = arrived()
    }
    expect(most).toBeLessThan(30)
  }, 60_000)
})

describe('a client that sends too much in vain', () => {
  it.each([
    ['pings', floodLimits.control, ({ client }: Connected) => client.ping()],
    ['pongs without a ping', floodLimits.control, ({ client }: Connected) => client.pong()],
    ['messages that are refused', floodLimits.refused, ({ peer }: Connected) => peer.refused()],
  ] as const)('is read no further after a number of %s', async (_what, most, send) => {
    const connected = await connect()
    const { client, arrived, floods } = connected
    for (let each = 0; each < most; each += 1) send(connected)
    client.send('before')
    await eventually(() => arrived.length === 1 || null)
    expect(floods()).toBe(0)
    send(connected)
    client.send('after')
    await eventually(() => floods() === 1 || null)
    await staysTrueFor(100, () => floods() === 1 && arrived.length === 1)
  })

  it('gets one pong for many pings of one piece', async () => {
    const { client } = await connect()
    const pongs: string[] = []
    client.on('pong', (data) => pongs.push(String(data)))
    const { _socket: socket } = client as unknown as { readonly _socket: Socket }
    const ping = (text: string) => Buffer.from([0x89, 0x80 | text.length, 0, 0, 0, 0, ...Buffer.from(text)])
    socket.write(Buffer.concat([...Array<Buffer>(500).fill(ping('first')), ping('last')]))
    await eventually(() => pongs.includes('last') || null)
    expect(pongs.length).toBeLessThan(50)
  })

  it('may do so again a minute later', () => {
    let nowMs = 0
    const mayGoOn = limitPerMinute(3, () => nowMs)
    const counts = () => Array.from({ length: 4 }, mayGoOn)
    expect(counts()).toEqual([true, true, true, false])
    nowMs = 60_000
    expect(counts()).toEqual([true, true, true, false])
  })
})

describe('a client at an ordinary slow speed', () => {
  const speed = { pingMs: 1_500, bytesPerMs: 4_000 }

  it('may send a message for longer than it has to answer a ping', async () => {
    const { client, arrived } = await connect(speed)
    client.send('x'.repeat(24_000_000))
    await eventually(() => arrived.length === 1 || null, { withinMs: 60_000 })
    expect(client.readyState).toBe(WebSocket.OPEN)
  }, 180_000)

  it('may read a message for longer than it has to answer a ping', async () => {
    const { client, peer } = await connect({ ...speed, stalledClientMs: 1_500 })
    const got = once(client, 'message')
    peer.send(Buffer.alloc(40_000_000, 'x'))
    expect(((await got)[0] as Buffer).length).toBe(40_000_000)
  }, 180_000)
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
