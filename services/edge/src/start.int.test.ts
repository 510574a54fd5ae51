import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { connectPrisma } from '@ratchet/db/connect'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { revokeApiKey, setRole } from '@ratchet/db/operator'
import { deriveAudienceKey, keysOfCaller, signIdentity } from '@ratchet/service-kit/identity/identity'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { loadConfig } from '@ratchet/service-kit/process/config'
import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { createDemoWorkspace, type DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { type ScriptedService, startService } from './edge.fixture.ts'
import { EdgeConfig, startEdge } from './start.ts'

/* The edge as a process starts it, with a real Postgres behind a proxy that can break the connection. */

let database: FreshDatabase
let superuser: Pool
let operator: ReturnType<typeof connectPrisma>
let proxy: ChaosProxy
let service: ScriptedService
let demo: DemoWorkspace
let running: ServerResponse[] = []
const stops: Stop[] = []

beforeAll(async () => {
  database = await freshDatabase()
  superuser = connectPool({ databaseUrl: database.url, max: 1 })
  operator = connectPrisma({ databaseUrl: database.url, max: 2 })
  demo = await createDemoWorkspace(database.url)
  proxy = await startChaosProxy({ targetPort: Number(new URL(database.url).port) })
  service = await startService((request, response) => {
    request.resume()
    if (request.headers['x-svc-tag'] === 'stream') return void running.push(response.writeHead(200))
    request.on('end', () => response.end(roleIn(String(request.headers['x-internal-identity']))))
  })
})

afterAll(async () => {
  await service.stop()
  await proxy.stop()
  await Promise.all([superuser.end(), operator.$disconnect()])
  await database.drop()
})

afterEach(async () => {
  await proxy.restore()
  await runStops(stops, silentLogger)
  running = []
})

function roleIn(identity: string): string {
  if (!identity.includes('.')) return ''
  return JSON.parse(Buffer.from(identity.split('.')[2] ?? '', 'base64url').toString()).role
}

/** Address of the metrics of each edge. */
const metricsUrls = new Map<string, string>()

async function start(env: Record<string, string> = {}): Promise<{ url: string; stop(): Promise<void> }> {
  const adminPort = await anyFreePort()
  const databaseUrl = new URL(database.url)
  databaseUrl.host = `127.0.0.1:${proxy.port}`
  const config = loadConfig(EdgeConfig, {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl.href,
    INFERENCE_URL: service.origin,
    LOGGING_URL: service.origin,
    JUDGING_URL: service.origin,
    EVAL_URL: service.origin,
    ALIAS_URL: service.origin,
    TRAINING_URL: service.origin,
    VOICE_URL: service.origin,
    IDENTITY_MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    DRAIN_DELAY_MS: '0',
    DRAIN_TIMEOUT_MS: '5000',
    ADMIN_PORT: String(adminPort),
    ...env,
  })
  const own: Stop[] = []
  const lifecycle = { onStop: (stop: Stop) => void own.push(stop), hurry: new AbortController().signal }
  const stop = () => runStops(own, silentLogger)
  stops.push(stop)
  const url = `http://127.0.0.1:${await startEdge(config, silentLogger, lifecycle)}`
  metricsUrls.set(url, `http://127.0.0.1:${adminPort}/metrics`)
  return { url, stop }
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly ms: number
  readonly retryAfter: string | null
}

async function chat(url: string, key: string): Promise<Answer> {
  const startedAt = performance.now()
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: '{}' })
  const body = await answer.text()
  return {
    status: answer.status,
    body,
    ms: performance.now() - startedAt,
    retryAfter: answer.headers.get('retry-after'),
  }
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(metricsUrls.get(url) ?? '')).text()
  return Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1])
}

/** Waits until the edge answers this key from memory. */
async function remembers(url: string, key: string): Promise<void> {
  await eventually(async () => {
    const before = await metric(url, 'ratchet_edge_key_lookups_total')
    expect(await chat(url, key)).toMatchObject({ status: 200 })
    expect(await metric(url, 'ratchet_edge_key_lookups_total')).toBe(before)
  })
}

/** Direct connections to the database, past the proxy. */
const direct = () => ({ DATABASE_URL: database.url })

async function revoke(keyId: string): Promise<number> {
  const startedAt = performance.now()
  await revokeApiKey(operator, { id: keyId, at: new Date() })
  return performance.now() - startedAt
}

it('applies a revocation and a role change to the next request of every edge', async () => {
  const edges = await Promise.all([start(), start(), start()])
  for (const { url } of edges) await remembers(url, demo.apiKey)
  const readOf = () => Promise.all(edges.map(({ url }) => metric(url, 'ratchet_edge_key_lookups_total')))
  for (let round = 0; round < 20; round++) {
    const { apiKey, userId, keyId } = await demo.addMember('admin')
    const before = await readOf()
    for (const { url } of edges) expect(await chat(url, apiKey)).toMatchObject({ status: 200, body: 'admin' })
    for (const { url } of edges) expect(await chat(url, apiKey)).toMatchObject({ status: 200, body: 'admin' })
    await setRole(operator, { workspaceId: demo.workspaceId, userId, role: 'member', at: new Date() })
    for (const { url } of edges) expect(await chat(url, apiKey)).toMatchObject({ status: 200, body: 'member' })
    for (const { url } of edges) expect(await chat(url, apiKey)).toMatchObject({ status: 200, body: 'member' })
    for (const { url } of edges) expect(await chat(url, demo.apiKey)).toMatchObject({ status: 200, body: 'owner' })
    // One read when the key was new, one after its role had changed; the other key is not read again.
    expect(await readOf()).toEqual(before.map((reads) => reads + 2))
    await revoke(keyId)
    for (const { url } of edges) expect(await chat(url, apiKey)).toMatchObject({ status: 401 })
  }
}, 60_000)

it('refuses a revoked key in every edge that answers from memory while it is revoked', async () => {
  const edges = await Promise.all([start(), start(), start()])
  for (const { url } of edges) await remembers(url, demo.apiKey)
  for (let round = 0; round < 10; round++) {
    const { apiKey, keyId } = await demo.addMember('admin')
    let hasReturned = false
    let answered = 0
    const clients = edges.map(async ({ url }) => {
      while (true) {
        const isAfter = hasReturned
        const { status } = await chat(url, apiKey)
        if (isAfter) return status
        answered += 1
      }
    })
    await eventually(() => answered > 20)
    await revoke(keyId)
    hasReturned = true
    expect(await Promise.all(clients)).toEqual([401, 401, 401])
  }
}, 60_000)

it('is not waited for when it is unreachable, and never serves a key that was revoked meanwhile', async () => {
  const near = await start(direct())
  const far = await start()
  const { apiKey, keyId } = await demo.addMember('admin')
  for (const { url } of [near, far]) await remembers(url, apiKey)
  proxy.freeze()
  let hasReturned = false
  const served = (async () => {
    const statuses = new Set<number>()
    while (!hasReturned) statuses.add((await chat(far.url, apiKey)).status)
    return statuses
  })()
  const ms = await revoke(keyId)
  hasReturned = true
  expect(ms).toBeGreaterThan(1_500)
  expect(ms).toBeLessThan(5_000)
  expect(await chat(near.url, apiKey)).toMatchObject({ status: 401 })
  expect(await chat(far.url, apiKey)).toMatchObject({ status: 503, retryAfter: '1' })
  expect([...(await served)].sort()).toEqual([200, 503])
  await proxy.restore()
  await eventually(async () => expect(await chat(far.url, apiKey)).not.toMatchObject({ status: 503 }))
  expect(await chat(far.url, apiKey)).toMatchObject({ status: 401 })
  await remembers(far.url, demo.apiKey)
}, 30_000)

it('renews its lease although the connection that hears of changes breaks again and again', async () => {
  const { url } = await start()
  const { apiKey, keyId } = await demo.addMember('admin')
  await remembers(url, apiKey)
  for (let round = 0; round < 3; round++) {
    await eventually(async () => {
      const { rowCount } = await superuser.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE '%UPDATE edge_lease%' AND pid <> pg_backend_pid()`,
      )
      expect(rowCount).toBe(1)
    })
    await remembers(url, apiKey)
  }
  expect(await revoke(keyId)).toBeLessThan(2_500)
  expect(await chat(url, apiKey)).toMatchObject({ status: 401 })
}, 20_000)

it('remembers nothing of the time before a failover', async () => {
  const { url } = await start()
  await remembers(url, demo.apiKey)
  const before = await metric(url, 'ratchet_edge_key_lookups_total')
  const { rows } = await superuser.query("UPDATE edge_lease SET timeline = '0000FFFF' RETURNING id")
  await eventually(async () => {
    const { rows: now } = await superuser.query('SELECT id FROM edge_lease WHERE timeline = current_timeline()')
    expect(now).toHaveLength(1)
    expect(now).not.toEqual(rows)
  })
  await chat(url, demo.apiKey)
  expect(await metric(url, 'ratchet_edge_key_lookups_total')).toBe(before + 1)
  await superuser.query("DELETE FROM edge_lease WHERE timeline = '0000FFFF'")
})

it('gives its lease back when it stops, so that no command waits for it', async () => {
  const { url, stop } = await start()
  await remembers(url, demo.apiKey)
  expect(await metric(url, 'ratchet_edge_key_lease_valid')).toBe(1)
  await stop()
  expect((await superuser.query('SELECT 1 FROM edge_lease')).rows).toEqual([])
})

it.each([
  ['frozen', () => proxy.freeze()],
  ['stopped', () => proxy.refuse()],
])(
  'answers 503 within 300 ms, never 401, when its lease has ended while Postgres is %s, and recovers',
  async (_how, takeAway) => {
    const { url } = await start()
    await remembers(url, demo.apiKey)
    await takeAway()
    const statuses = new Set<number>()
    await eventually(async () => {
      const { status } = await chat(url, demo.apiKey)
      statuses.add(status)
      return status === 503
    })
    expect([...statuses]).toEqual([200, 503])
    const alone = await chat(url, demo.apiKey)
    const crowd = await Promise.all(Array.from({ length: 40 }, () => chat(url, demo.apiKey)))
    const later = await chat(url, demo.apiKey)
    for (const answer of [alone, ...crowd, later]) {
      expect(answer).toMatchObject({ status: 503, retryAfter: '1' })
      expect(JSON.parse(answer.body).error).toMatchObject({ code: 'service_unavailable', type: 'api_error' })
    }
    expect(Math.max(alone.ms, later.ms)).toBeLessThan(300)
    // The result of a readiness check is reused for half a second.
    await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(503))
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    await proxy.restore()
    await eventually(async () => expect(await chat(url, demo.apiKey)).toMatchObject({ status: 200 }))
    await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200))
  },
  20_000,
)

it('starts while Postgres is unavailable, and serves once it is available', async () => {
  await proxy.refuse()
  const { url } = await start()
  expect(await chat(url, demo.apiKey)).toMatchObject({ status: 503 })
  await proxy.restore()
  await eventually(async () => expect(await chat(url, demo.apiKey)).toMatchObject({ status: 200 }))
})

it('writes when keys were last used before it stops', async () => {
  const { url, stop } = await start()
  const { apiKey, keyId } = await demo.addMember('member')
  const before = Date.now()
  await chat(url, apiKey)
  await stop()
  const { rows } = await superuser.query('SELECT last_used_at FROM api_key_use WHERE key_id = $1', [keyId])
  expect(rows[0]?.last_used_at.getTime()).toBeGreaterThanOrEqual(before)
})

it('lets a running stream finish while it stops', async () => {
  const { url, stop } = await start()
  const headers = { authorization: `Bearer ${demo.apiKey}`, 'x-svc-tag': 'stream' }
  const answering = fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: '{}' })
  await eventually(() => running.length === 1)
  running[0]?.write('one ')
  const answer = await answering
  const stopping = stop()
  await eventually(async () => expect(await refuses(url)).toBe(true))
  running[0]?.end('two')
  expect(await answer.text()).toBe('one two')
  await stopping
})

it.each([
  ['when there is another port for them', {}],
  ['when there is none', { ADMIN_PORT: '' }],
])('does not serve metrics on the public port %s', async (_case, env) => {
  const { url } = await start(env)
  expect((await fetch(`${url}/metrics`)).status).toBe(401)
  const headers = { authorization: `Bearer ${demo.apiKey}` }
  expect((await fetch(`${url}/metrics`, { headers })).status).toBe(404)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
})

it('serves people at a port of its own, and the dashboard beside the API, only where it is given them', async () => {
  const sessionPort = await anyFreePort()
  const secret = randomBytes(32)
  const { url } = await start({
    SESSION_PORT: String(sessionPort),
    DASHBOARD_URL: service.origin,
    IDENTITY_MASTER_KEYS: `k1:${secret.toString('base64')}`,
  })
  const path = '/v1/chat/completions'
  const requestId = '0195a2b0-0000-7000-8000-000000000001'
  const key = keysOfCaller([{ id: 'k1', secret: deriveAudienceKey(secret, 'edge') }], 'dashboard')[0]
  const { workspaceId, userId } = demo
  const session = { id: requestId, mayGrade: false, isFresh: false }
  const person = { workspaceId, userId, role: 'member', keyId: null, session } as const
  const bound = { audience: 'edge', requestId, method: 'POST', path }
  const headers = { 'x-request-id': requestId, 'x-internal-identity': signIdentity(key, bound, person, Date.now()) }
  const asked = (origin: string) => fetch(`${origin}${path}`, { method: 'POST', headers, body: '{}' })
  const answer = await asked(`http://127.0.0.1:${sessionPort}`)
  expect([answer.status, await answer.text()]).toEqual([200, 'member'])
  expect((await asked(url)).status).toBe(401)
  expect((await fetch(`http://127.0.0.1:${sessionPort}${path}`, { method: 'POST' })).status).toBe(401)
  // The service stands for the dashboard here, and gets no identity.
  expect((await fetch(`${url}/sign-in`)).status).toBe(200)
})

async function refuses(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => false,
    () => true,
  )
}
