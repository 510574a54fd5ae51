import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Dispatcher, Pool } from 'undici'
import type { BaseUrlRules } from './check-base-url.ts'
import { createGuardedUpstream } from './create-guarded-upstream.ts'
import { guardedConnector } from './guarded-connector.ts'
import { hostileUrls } from './hostile-urls.fixture.ts'
import { isPublicAddress } from './is-public-address.ts'
import { startUpstreamCall } from './upstream-call.ts'

const open: BaseUrlRules = { customHosts: true, allowedHosts: new Set() }
const undo: (() => unknown)[] = []

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

interface Listener {
  readonly port: number
  /** Number of connections so far. */
  readonly connections: () => number
}

/** A real server on a loopback address of its own. */
async function listenOn(address: string, port = 0, answer?: (server: Server) => void): Promise<Listener> {
  let connections = 0
  const server = createServer((_request, response) => response.end('hello'))
  answer?.(server)
  server.on('connection', () => {
    connections += 1
  })
  server.listen(port, address)
  undo.push(() => server.close().closeAllConnections())
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

interface Outcome {
  readonly end: string
  readonly code?: unknown
}

function get(upstream: Dispatcher, path = '/'): Promise<Outcome & { status?: number }> {
  const clocks = { firstByteMs: 5_000, idleMs: 5_000, totalMs: 5_000 }
  return new Promise((resolve) => {
    let head = 0
    startUpstreamCall(
      upstream,
      { method: 'GET', path, headers: { connection: 'close' }, body: null, clocks },
      {
        onHead: (status) => {
          head = status
        },
        onData: () => undefined,
        onEnd: () => resolve({ end: 'end', status: head }),
        onFailure: ({ kind, cause }) =>
          resolve({ end: kind, code: (cause as NodeJS.ErrnoException | undefined)?.code }),
      },
    )
  })
}

const refusedToConnect = { end: 'connect', code: 'ERR_ADDRESS_REFUSED' }

describe('createGuardedUpstream', () => {
  it.each(hostileUrls)('creates no pool for %j', (baseUrl) => {
    expect(() => createGuardedUpstream({ baseUrl, rules: open, connections: 1, connectTimeoutMs: 1_000 })).toThrow(
      RangeError,
    )
  })

  it.each([
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['169.254.169.254'],
    ['100.100.100.200'],
    ['0.0.0.0'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['fd00:ec2::254'],
    ['8.8.8.8', '127.0.0.1'],
    ['2606:4700::1', '8.8.8.8', 'fe80::1'],
    ['8.8.8.8', 'not an address'],
  ])('does not connect to a host with an address that is not public: %j', async (...addresses) => {
    const { port, connections } = await listenOn('127.0.0.1')
    const { upstream } = createGuardedUpstream({
      baseUrl: `https://api.example.com:${port}/v1`,
      rules: open,
      connections: 1,
      connectTimeoutMs: 1_000,
      resolve: async () => addresses,
    })
    undo.push(() => upstream.destroy())
    expect(await get(upstream)).toEqual(refusedToConnect)
    expect(connections()).toBe(0)
  })

  it('fails with `connect` when a host has no address', async () => {
    const { upstream } = createGuardedUpstream({
      baseUrl: 'https://api.example.com',
      rules: open,
      connections: 1,
      connectTimeoutMs: 1_000,
      resolve: async () => [],
    })
    undo.push(() => upstream.destroy())
    expect(await get(upstream)).toMatchObject({ end: 'connect' })
  })

  it('gives up on a name server that never answers', async () => {
    const { upstream } = createGuardedUpstream({
      baseUrl: 'https://api.example.com',
      rules: open,
      connections: 1,
      connectTimeoutMs: 50,
      resolve: () => new Promise(() => undefined),
    })
    undo.push(() => upstream.destroy())
    expect(await get(upstream)).toEqual({ end: 'connect', code: 'UND_ERR_CONNECT_TIMEOUT' })
  })

  it('connects to a private host that the operator named', async () => {
    const { port, connections } = await listenOn('127.0.0.1')
    const { upstream } = createGuardedUpstream({
      baseUrl: `https://127.0.0.1:${port}`,
      rules: { customHosts: false, allowedHosts: new Set(['127.0.0.1']) },
      connections: 1,
      connectTimeoutMs: 1_000,
    })
    undo.push(() => upstream.destroy())
    expect((await get(upstream)).code).not.toBe('ERR_ADDRESS_REFUSED') // the server does not use TLS
    expect(connections()).toBe(1)
  })

  it('follows no redirect', async () => {
    const inside = await listenOn('127.0.0.1')
    const outside = await listenOn('127.0.0.1', 0, (server) => {
      server.removeAllListeners('request')
      const location = `http://127.0.0.1:${inside.port}/`
      server.on('request', (_request, response) => response.writeHead(307, { location }).end())
    })
    const { upstream } = createGuardedUpstream({
      baseUrl: `http://127.0.0.1:${outside.port}`,
      rules: { ...open, loopbackHttp: true },
      connections: 1,
      connectTimeoutMs: 1_000,
    })
    undo.push(() => upstream.destroy())
    expect(await get(upstream)).toEqual({ end: 'end', status: 307 })
    expect([outside.connections(), inside.connections()]).toEqual([1, 0])
  })
})

describe('a name whose addresses change', () => {
  /** 127.0.0.2 stands for a public address, 127.0.0.1 for one that must not be reached. */
  const isAllowed = (address: string) => address === '127.0.0.2' || isPublicAddress(address)

  async function rebinding(answers: readonly (readonly string[])[]) {
    const outside = await listenOn('127.0.0.2')
    const inside = await listenOn('127.0.0.1', outside.port)
    let asked = 0
    const resolve = async () => answers[Math.min(asked++, answers.length - 1)] ?? []
    const connect = guardedConnector({ resolve, isAllowed, connectTimeoutMs: 1_000 })
    const upstream = new Pool(`http://rebind.example.com:${outside.port}`, { connections: 1, connect })
    undo.push(() => upstream.destroy())
    return { upstream, outside, inside, asked: () => asked }
  }

  it('is resolved once per connection, and only the checked address is connected to', async () => {
    const { upstream, outside, inside, asked } = await rebinding([['127.0.0.2'], ['127.0.0.1']])
    expect(await get(upstream)).toEqual({ end: 'end', status: 200 })
    expect([outside.connections(), inside.connections(), asked()]).toEqual([1, 0, 1])
  })

  it('is checked again for the next connection', async () => {
    const { upstream, outside, inside } = await rebinding([['127.0.0.2'], ['127.0.0.1']])
    await get(upstream)
    expect(await get(upstream)).toEqual(refusedToConnect)
    expect(await get(upstream)).toEqual(refusedToConnect)
    expect([outside.connections(), inside.connections()]).toEqual([1, 0])
  })

  it('is refused when it has both addresses', async () => {
    const { upstream, outside, inside } = await rebinding([['127.0.0.2', '127.0.0.1']])
    expect(await get(upstream)).toEqual(refusedToConnect)
    expect([outside.connections(), inside.connections()]).toEqual([0, 0])
  })

  it('would reach the inside without the guard', async () => {
    const { outside, inside } = await rebinding([])
    const unguarded = new Pool(`http://127.0.0.1:${outside.port}`)
    undo.push(() => unguarded.destroy())
    await get(unguarded)
    expect(inside.connections()).toBe(1)
  })
})

it('checks addresses in the URL itself, which no resolver is called for', async () => {
  const { port, connections } = await listenOn('127.0.0.1')
  const resolve = async () => ['8.8.8.8']
  const connect = guardedConnector({ resolve, isAllowed: isPublicAddress, connectTimeoutMs: 1_000 })
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]']) {
    const upstream = new Pool(`http://${host}:${port}`, { connect })
    undo.push(() => upstream.destroy())
    expect(await get(upstream)).toEqual(refusedToConnect)
  }
  expect(connections()).toBe(0)
})
