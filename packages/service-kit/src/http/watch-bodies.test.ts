import { Agent, createServer, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '@ratchet/testing/eventually'
import { type WatchedBodies, watchBodies } from './watch-bodies.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let undo: (() => unknown)[] = []

afterEach(() => {
  for (const step of undo.splice(0)) step()
  undo = []
})
afterAll(() => agent.destroy())

async function serve(listener: RequestListener): Promise<{ watched: WatchedBodies; port: number }> {
  const watched = watchBodies({
    firstByteMs: 60_000,
    windowMs: 60_000,
    minBytes: 1,
    everyMs: 1_000,
    listener,
    onStalled: () => undefined,
  })
  const server = createServer(watched.listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undo.push(() => server.close(), watched.stop)
  return { watched, port: (server.address() as AddressInfo).port }
}

function post(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method: 'POST', agent }, (answer) =>
      answer.resume().once('end', resolve),
    )
    sent.once('error', reject).end('body')
  })
}

it.each<[string, RequestListener]>([
  ['by events', (incoming, response) => incoming.on('data', () => undefined).once('end', () => response.end('ok'))],
  ['in one call', (incoming, response) => incoming.once('readable', () => incoming.read() && response.end('ok'))],
  ['not at all', (_incoming, response) => response.end('ok')],
])(
  'forgets a request that was answered on a connection that stays open, when its body was read %s',
  async (_how, listener) => {
    const { watched, port } = await serve(listener)
    for (let each = 0; each < 5; each += 1) await post(port)
    await eventually(() => expect(watched.count()).toBe(0))
  },
)
