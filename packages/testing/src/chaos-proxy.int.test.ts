import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { type ChaosProxy, startChaosProxy } from './chaos-proxy.ts'
import { elapse } from './elapse.ts'
import { eventually } from './eventually.ts'
import { staysTrueFor } from './stays-true-for.ts'

let echo: Server
let proxy: ChaosProxy
const clients: Socket[] = []

beforeEach(async () => {
  echo = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  proxy = await startChaosProxy({ targetPort: (echo.address() as { port: number }).port })
})

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await proxy.stop()
  echo.close()
})

interface Conversation {
  readonly socket: Socket
  readonly packets: Buffer[]
  readonly events: string[]
  text(): string
}

/** A client that records the events of its connection. */
function dial(): Conversation {
  const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true })
  clients.push(socket)
  const packets: Buffer[] = []
  const events: string[] = []
  socket.on('data', (bytes) => packets.push(bytes))
  socket.on('end', () => events.push('end'))
  socket.on('error', (error: NodeJS.ErrnoException) => events.push(error.code ?? 'error'))
  return { socket, packets, events, text: () => Buffer.concat(packets).toString() }
}

async function say(conversation: Conversation, text: string): Promise<void> {
  const before = conversation.text()
  conversation.socket.write(text)
  await eventually(() => expect(conversation.text()).toBe(before + text))
}

it('passes bytes and half-closes on without faults', async () => {
  const client = dial()
  client.socket.end('hello')

  await eventually(() => expect(client).toMatchObject({ events: ['end'] }))
  expect(client.text()).toBe('hello')
  await eventually(() => expect(proxy.connections).toBe(0))
})

it('passes megabytes on unchanged through slices and changing faults', async () => {
  const client = dial()
  const text = 'x0123456789'.repeat(100_000)
  proxy.slice(1_000)

  client.socket.write(text)
  await eventually(() => expect(client.text().length).toBeGreaterThan(10_000))
  await proxy.restore()

  await eventually(() => expect(client.text().length).toBe(text.length))
  expect(client.text() === text).toBe(true)
})

it('keeps old and new connections open without a byte while frozen', async () => {
  const old = dial()
  await say(old, 'before')
  proxy.freeze()

  old.socket.write('-during')
  const young = dial()
  young.socket.end('young')
  await once(young.socket, 'connect')
  await staysTrueFor(150, () =>
    expect([old.text(), young.text(), old.events, young.events]).toEqual(['before', '', [], []]),
  )

  proxy.thaw()
  await eventually(() => expect([old.text(), young.text()]).toEqual(['before-during', 'young']))
})

it('delays every byte by the same time, without lowering the rate', async () => {
  const client = dial()
  await once(client.socket, 'connect')
  proxy.delay(100)
  const started = performance.now()

  for (let i = 0; i < 20; i += 1) {
    client.socket.write('0123456789')
    await elapse(5)
  }
  await eventually(() => expect(client.text()).toHaveLength(200), { everyMs: 2 })

  const ms = performance.now() - started
  expect(ms).toBeGreaterThan(199)
  expect(ms).toBeLessThan(1_000)
})

it.each(['end', 'reset'] as const)('cuts with %s after exactly that many further bytes of answer', async (how) => {
  const client = dial()
  await say(client, 'uncounted')
  proxy.cutAfter(4, how)

  await say(client, 'ab')
  client.socket.write('cdefgh')

  const event = how === 'end' ? 'end' : 'ECONNRESET'
  await eventually(() => expect(client.events).toEqual([event]))
  if (how === 'end') expect(client.text()).toBe('uncountedabcd')
  await eventually(() => expect(proxy.connections).toBe(0))
})

it('loses the answer to a request that arrived when cut after 0', async () => {
  const client = dial()
  await once(client.socket, 'connect')
  proxy.cutAfter(0)

  client.socket.write('commit')

  await eventually(() => expect(client.events).toEqual(['end']))
  expect(client.text()).toBe('')
})

it('slices answers into single bytes', async () => {
  const client = dial()
  await once(client.socket, 'connect')
  proxy.slice()

  client.socket.write('0123456789')

  await eventually(() => expect(client.text()).toBe('0123456789'))
  expect(client.packets.length).toBeGreaterThan(5)
})

it('throttles to about the rate', async () => {
  const client = dial()
  await once(client.socket, 'connect')
  proxy.rate(10_000)
  const started = performance.now()

  client.socket.write('x'.repeat(3_000))
  await eventually(() => expect(client.text()).toHaveLength(3_000))

  expect(performance.now() - started).toBeGreaterThan(240)
})

it('slows the sender down while throttled', async () => {
  const client = dial()
  await once(client.socket, 'connect')
  proxy.rate(1_000)

  const taken = await writeUntilStuck(client.socket)

  // This much fits into the socket buffers on the path; the rest must wait at the sender.
  expect(taken).toBeLessThan(20_000_000)
})

it('resets open connections and accepts new ones', async () => {
  const old = dial()
  await say(old, 'hello')

  proxy.reset()

  await eventually(() => expect(old.events).toEqual(['ECONNRESET']))
  await say(dial(), 'hello again')
})

it('refuses connections until it is restored, on the same port', async () => {
  const old = dial()
  await say(old, 'hello')
  await proxy.refuse()
  const refused = dial()
  await eventually(() => expect([old.events, refused.events]).toEqual([['ECONNRESET'], ['ECONNREFUSED']]))

  await proxy.restore()

  await say(dial(), 'hello again')
})

it('passes on that no server listens behind it', async () => {
  echo.close()
  await once(echo, 'close')
  const client = dial()

  await eventually(() => expect(client.events).toEqual(['ECONNRESET']))
})

/** Writes until the socket has accepted nothing for a while; returns the number of accepted bytes. */
async function writeUntilStuck(socket: Socket): Promise<number> {
  const chunk = Buffer.alloc(1_000_000)
  for (;;) {
    if (socket.write(chunk)) continue
    const drained = await Promise.race([once(socket, 'drain').then(() => true), elapse(300).then(() => false)])
    if (!drained || socket.bytesWritten > 200_000_000) return socket.bytesWritten - socket.writableLength
  }
}

it('passes new connections to another target and leaves open ones alone', async () => {
  const other = createServer((socket) => socket.on('error', () => undefined).end('other'))
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  const old = dial()
  await say(old, 'before')

  proxy.aim((other.address() as { port: number }).port)

  const young = dial()
  await eventually(() => expect(young.text()).toBe('other'))
  await say(old, 'after')
  other.close()
})
