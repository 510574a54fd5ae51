import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mintApiKey } from '@ratchet/contracts/api-key'
import { brandOf } from '@ratchet/contracts/brand'
import { type Endpoint, endpoint } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import type { Role } from '@ratchet/contracts/identity'
import { permissions, type Rule } from '@ratchet/contracts/permissions'
import { createDrain } from '@ratchet/service-kit/drain'
import { runStops, type Stop } from '@ratchet/service-kit/run-process'
import { serveHttp } from '@ratchet/service-kit/serve-http'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { countingUuids } from '@ratchet/testing/counting-ids'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { z } from 'zod'
import { createApp, type EdgeDeps } from './app.ts'
import { createEdgeEvents } from './events.ts'
import { createDispatchForwarder } from './forward/dispatch-forwarder.ts'
import { headBuilder } from './forward/forwarded-head.ts'
import type { Forwarder } from './forward/forwarder.ts'
import { createManagementProxy } from './forward/management-proxy.ts'
import { createKeyUseLog } from './keys/key-use.ts'
import { createKeyVerifier } from './keys/key-verifier.ts'
import { type Route, routingTable } from './routing-table.ts'
import { memoryAbuseGuard } from './store/memory-abuse-guard.ts'
import { type MemoryKeyStore, memoryKeyStore } from './store/memory-key-store.ts'

/*
 * Test support: the edge on a real port of 127.0.0.1 over memory stores, in front of a scripted service.
 */

export interface TestEdge {
  readonly port: number
  readonly deps: EdgeDeps
  readonly store: MemoryKeyStore
  readonly masterSecret: Buffer
  /** A new key of a user with this role. */
  mint(role?: Role): string
  metric(name: string): Promise<string>
  stop(): Promise<void>
}

export interface TestEdgeOptions extends Partial<EdgeDeps> {
  /** Of the one service behind every route. */
  readonly origin?: string
  readonly stalledClientMs?: number
}

const brand = brandOf()
export const workspaceId = '00000000-0000-7000-8000-0000000000aa'

export async function startTestEdge(options: TestEdgeOptions = {}): Promise<TestEdge> {
  const { origin = 'http://127.0.0.1:1', stalledClientMs = 60_000, ...overrides } = options
  const stops: Stop[] = []
  const now = overrides.now ?? (() => new Date())
  const metrics = createProcessMetrics('edge')
  const events = createEdgeEvents(metrics.registry, overrides.logger ?? silentLogger)
  const store = memoryKeyStore()
  const drain = overrides.health?.drain ?? createDrain()
  const masterSecret = randomBytes(32)
  const buildHead = headBuilder({ id: 'k1', secret: masterSecret }, ['inference', 'logging'])
  const deps: EdgeDeps = {
    logger: silentLogger,
    metrics,
    events,
    brand,
    health: { drain, checks: {}, now },
    serveMetrics: true,
    keys: createKeyVerifier({
      store,
      keyPrefix: brand.keyPrefix,
      events,
      now,
      unknownKeysPerAddress: 50,
      silenceMs: 250,
    }),
    keyUse: createKeyUseLog(store, events),
    abuseGuard: { store: memoryAbuseGuard(now), limit: { calls: 20, windowSeconds: 60 } },
    endpoints,
    permissions,
    routes: routingTable,
    forwarderOf: forwarders({ service: 'inference', origin, buildHead, events, drain, now, stalledClientMs }, stops),
    now,
    newId: countingUuids(),
    ...overrides,
  }
  const lifecycle = { onStop: (stop: Stop) => void stops.push(stop), hurry: AbortSignal.abort() }
  const common = { port: 0, host: '127.0.0.1', drain, drainDelayMs: 0, drainTimeoutMs: 0, lifecycle }
  const port = await serveHttp({ ...common, listener: createApp(deps), isPublic: true })
  return {
    port,
    deps,
    store,
    masterSecret,
    mint: (role = 'owner') => mint(store, role),
    metric: async (name) => (await metrics.registry.getSingleMetricAsString(name)).replaceAll('service="edge"', ''),
    stop: () => runStops(stops, silentLogger),
  }
}

function forwarders(
  options: Parameters<typeof createDispatchForwarder>[0],
  stops: Stop[],
): (route: Route) => Forwarder {
  const byKind = { inference: createDispatchForwarder(options), management: createManagementProxy(options) }
  stops.push(() => Promise.all(Object.values(byKind).map((forwarder) => forwarder.close())))
  return ({ kind }) => byKind[kind]
}

const newId = countingUuids()

function mint(store: MemoryKeyStore, role: Role): string {
  const key = mintApiKey(brand.keyPrefix, randomBytes)
  const identity = { keyId: newId(), userId: newId(), workspaceId, role }
  store.identities.set(createHash('sha256').update(key).digest('hex'), identity)
  return key
}

/** A key that nobody has, with a right checksum. */
export function unknownKey(): string {
  return mintApiKey(brand.keyPrefix, randomBytes)
}

/** Endpoints that exist in no contract: the tables of an edge that has guarded and restricted ones, on both ways. */
export const extraTables = {
  endpoints: [
    ...endpoints,
    extra('post', '/v1/things'),
    extra('get', '/v1/things/:id'),
    extra('delete', '/v1/things/:id'),
    extra('post', '/v1/owners'),
  ],
  permissions: new Map<string, Rule>([
    ...permissions,
    ['POST /v1/things', { permission: 'owner_admin', guard: true }],
    ['GET /v1/things/:id', { permission: 'any', guard: false }],
    ['DELETE /v1/things/:id', { permission: 'owner_admin', guard: false }],
    ['POST /v1/owners', { permission: 'owner', guard: false }],
  ]),
  routes: [
    ...routingTable,
    { prefix: '/v1/things', service: 'inference', kind: 'management', maxBodyBytes: 1_000 },
    { prefix: '/v1/owners', service: 'inference', kind: 'inference', maxBodyBytes: 1_000 },
  ],
} as const satisfies Pick<EdgeDeps, 'endpoints' | 'permissions' | 'routes'>

function extra(method: Endpoint['method'], path: string): Endpoint {
  return endpoint({ method, path, summary: '', description: '', service: 'inference', reply: z.unknown() })
}

export interface ScriptedService {
  readonly origin: string
  /** Every request so far, oldest first. */
  readonly requests: readonly IncomingMessage[]
  /** Open connections are cut. */
  stop(): Promise<void>
}

/** A service behind the edge that does what a test says. */
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
