import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mintApiKey } from '@ratchet/contracts/api-key'
import { brandOf } from '@ratchet/contracts/brand'
import { type Endpoint, endpoint, type ServiceName, serviceNames } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import type { Role } from '@ratchet/contracts/identity'
import type { FramesAddress } from '@ratchet/service-kit/frames/frames-address'
import { serveHttp } from '@ratchet/service-kit/http/serve-http'
import { deriveAudienceKey } from '@ratchet/service-kit/identity/identity'
import { createDrain } from '@ratchet/service-kit/process/drain'
import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { countingUuids } from '@ratchet/testing/counting-ids'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { z } from 'zod'
import { memoryAbuseGuard } from './abuse-guard/memory-abuse-guard.ts'
import { clientAddressBehind } from './admission/client-address.ts'
import { createApp, createSessionApp, createUpgrades, type EdgeDeps } from './app.ts'
import { createEdgeEvents } from './events.ts'
import { closeForwarders, createForwarders } from './forward/create-forwarders.ts'
import { createDashboardForwarder } from './forward/dashboard-forwarder.ts'
import { createKeyLease } from './keys/key-lease.ts'
import { createKeyUseLog } from './keys/key-use.ts'
import { createKeyVerifier } from './keys/key-verifier.ts'
import { type MemoryKeyStore, memoryKeyStore } from './keys/memory-key-store.ts'
import { defaultSocketLimits } from './sockets/open-sockets.ts'

/* The edge on a port of 127.0.0.1, with stores in memory, in front of a service that the test scripts. */

export interface TestEdge {
  readonly port: number
  /** Of the session listener. */
  readonly sessionPort: number
  readonly deps: EdgeDeps
  readonly store: MemoryKeyStore
  readonly masterSecret: Buffer
  /** A new key of a user with this role. */
  mint(role?: Role): string
  metric(name: string): Promise<string>
  stop(): Promise<void>
}

export interface TestEdgeOptions extends Partial<EdgeDeps> {
  /** The one service behind every endpoint. */
  readonly origin?: string
  /** The dashboard; absent: there is none. */
  readonly dashboardOrigin?: string
  readonly stalledClientMs?: number
  readonly trustedProxies?: readonly string[]
  readonly masterSecret?: Buffer
  /** Where inference takes requests in frames. */
  readonly inferenceFrames?: FramesAddress
}

const brand = brandOf()
export const workspaceId = '00000000-0000-7000-8000-0000000000aa'

export async function startTestEdge(options: TestEdgeOptions = {}): Promise<TestEdge> {
  const {
    origin = 'http://127.0.0.1:1',
    stalledClientMs = 60_000,
    inferenceFrames,
    dashboardOrigin,
    trustedProxies = [],
    ...others
  } = options
  const { masterSecret = randomBytes(32), ...overrides } = others
  const stops: Stop[] = []
  const now = overrides.now ?? (() => new Date())
  const metrics = createProcessMetrics('edge')
  const events = createEdgeEvents(metrics.registry, overrides.logger ?? silentLogger)
  const store = memoryKeyStore()
  const drain = overrides.health?.drain ?? createDrain()
  const urls = Object.fromEntries(serviceNames.map((name) => [name, origin])) as Record<ServiceName, string>
  const masterKey = { id: 'k1', secret: masterSecret }
  const proxying = { stalledClientMs, events, drain, now }
  const forwarders = createForwarders({ ...proxying, masterKey, urls, inferenceFrames, random: () => 0 })
  stops.push(() => closeForwarders(forwarders))
  const clientAddressOf = clientAddressBehind(trustedProxies)
  const dashboard =
    dashboardOrigin === undefined
      ? null
      : createDashboardForwarder({ ...proxying, clientAddressOf, origin: dashboardOrigin })
  stops.push(() => dashboard?.close())
  const deps: EdgeDeps = {
    logger: silentLogger,
    metrics,
    events,
    brand,
    health: { drain, checks: {}, now },
    serveMetrics: true,
    keys: createKeyVerifier({
      store,
      lease: createKeyLease({ maxKeys: 10, monotonicMs: () => performance.now(), wallMs: () => now().getTime() }),
      keyPrefix: brand.keyPrefix,
      events,
      now,
      unknownKeysPerAddress: 50,
      silenceMs: 250,
    }),
    clientAddressOf,
    keyUse: createKeyUseLog(store, events),
    refusals: { note() {} },
    abuseGuard: { store: memoryAbuseGuard(now), limit: { calls: 20, windowSeconds: 60 } },
    endpoints,
    sessionEndpoints: [],
    sessionKeys: [{ id: masterKey.id, secret: deriveAudienceKey(masterSecret, 'edge') }],
    forwarders,
    dashboard,
    cors: null,
    sockets: { ...defaultSocketLimits, stalledClientMs },
    now,
    newId: countingUuids(),
    ...overrides,
  }
  const lifecycle = { onStop: (stop: Stop) => void stops.push(stop), hurry: AbortSignal.abort() }
  const common = { port: 0, host: '127.0.0.1', drain, drainDelayMs: 0, drainTimeoutMs: 0, lifecycle }
  const listener = createApp(deps)
  const upgrades = createUpgrades(deps, listener)
  const port = await serveHttp({ ...common, listener, upgrades, isPublic: true })
  const sessionPort = await serveHttp({ ...common, listener: createSessionApp(deps), isPublic: true })
  return {
    port,
    sessionPort,
    deps,
    store,
    masterSecret,
    mint: (role = 'owner') => mint(store, role),
    metric: async (name) => (await metrics.registry.getSingleMetricAsString(name)).replaceAll('service="edge"', ''),
    stop: () => runStops(stops, silentLogger),
  }
}

const newId = countingUuids()

function mint(store: MemoryKeyStore, role: Role): string {
  const key = mintApiKey(brand.keyPrefix, randomBytes)
  const identity = { keyId: newId(), userId: newId(), workspaceId, role }
  store.identities.set(createHash('sha256').update(key).digest('hex'), identity)
  return key
}

/** A key with a valid checksum that no user has. */
export function unknownKey(): string {
  return mintApiKey(brand.keyPrefix, randomBytes)
}

const added = { summary: '', description: '', reply: z.unknown(), maxBodyBytes: 1_000 } as const

/** Endpoints that no contract has: guarded ones, and ones for some roles, behind both kinds of forwarder. */
export const extraEndpoints: readonly Endpoint[] = [
  ...endpoints,
  endpoint({
    ...added,
    method: 'post',
    path: '/v1/things',
    service: 'logging',
    permission: 'owner_admin',
    guard: true,
  }),
  endpoint({ ...added, method: 'get', path: '/v1/things/:id', service: 'logging', permission: 'any' }),
  endpoint({ ...added, method: 'delete', path: '/v1/things/:id', service: 'logging', permission: 'owner_admin' }),
  endpoint({ ...added, method: 'post', path: '/v1/owners', service: 'inference', permission: 'owner' }),
]

export interface ScriptedService {
  readonly origin: string
  /** All requests so far, oldest first. */
  readonly requests: readonly IncomingMessage[]
  /** Cuts open connections. */
  stop(): Promise<void>
}

/** A service behind the edge with the behaviour that a test gives it. */
export async function startService(listener: RequestListener): Promise<ScriptedService> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
