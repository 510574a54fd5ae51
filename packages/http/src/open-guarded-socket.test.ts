import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { eventually } from '@ratchet/testing/eventually'
import { type WebSocket, WebSocketServer } from 'ws'
import { type GuardedSocketOptions, openGuardedSocket } from './open-guarded-socket.ts'

const rules = { customHosts: true, allowedHosts: new Set<string>(), loopbackHttp: true }

interface Talk {
  readonly texts: string[]
  readonly opened: Promise<void>
  readonly closed: Promise<string>
  readonly socket: ReturnType<typeof openGuardedSocket>
}

function talk(baseUrl: string, changes: Partial<GuardedSocketOptions> = {}): Talk {
  const texts: string[] = []
  const opened = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<string>()
  const socket = openGuardedSocket(
    {
      baseUrl,
      rules,
      path: '/listen?a=1',
      headers: { 'x-key': 'k' },
      openWithinMs: 500,
      maxMessageBytes: 1_000,
      ...changes,
    },
    { onOpen: opened.resolve, onText: (text) => texts.push(text), onClosed: closed.resolve },
  )
  return { texts, opened: opened.promise, closed: closed.promise, socket }
}

async function serve(onSocket: (socket: WebSocket, url: string, key: unknown) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket, request) => onSocket(socket, request.url ?? '', request.headers['x-key']))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/base`, close: () => server.close() }
}

it('sends headers, path and messages, and reports text', async () => {
  const got: unknown[] = []
  const server = await serve((socket, url, key) => {
    got.push(url, key)
    socket.on('message', (data) => socket.send(`echo ${String(data)}`))
  })
  const { opened, socket, texts } = talk(server.url)
  await opened
  socket.send('one')
  await eventually(() => expect(texts).toEqual(['echo one']))
  expect(got).toEqual(['/base/listen?a=1', 'k'])
  socket.close()
  server.close()
})

it('closes the socket of a message that is too long', async () => {
  const server = await serve((socket) => {
    socket.on('error', () => {})
    socket.send('x'.repeat(1_001))
  })
  const { closed, texts } = talk(server.url)
  await expect(closed).resolves.toMatch(/payload/i)
  expect(texts).toEqual([])
  server.close()
})

it('gives up a server that does not answer the handshake', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { closed } = talk(`http://127.0.0.1:${port}`, { openWithinMs: 100 })
  await closed
  server.close()
})

it('reports a refusal, and follows no redirect', async () => {
  let isFollowed = false
  const target = await serve(() => {
    isFollowed = true
  })
  const server = createServer((socket) => {
    socket.end(`HTTP/1.1 302 Found\r\nlocation: ${target.url.replace('http', 'ws')}\r\ncontent-length: 0\r\n\r\n`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await expect(talk(`http://127.0.0.1:${port}`).closed).resolves.toContain('302')
  expect(isFollowed).toBe(false)
  server.close()
  target.close()
})

it('connects to no private address, whatever a name resolves to', async () => {
  const server = await serve(() => {})
  const port = new URL(server.url).port
  const closed = talk(`https://speech.example.com:${port}`, { resolve: async () => ['127.0.0.1'] }).closed
  await expect(closed).resolves.toContain('not public')
  expect(() => talk('https://10.0.0.1')).toThrow(RangeError)
  server.close()
})
