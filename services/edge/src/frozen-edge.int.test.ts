import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { connectPrisma } from '@ratchet/db/connect'
import { revokeApiKey } from '@ratchet/db/operator'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { createDemoWorkspace, type DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { type ScriptedService, startService } from './edge.fixture.ts'

/* Edges as processes of their own, which are frozen or killed while a key is revoked. */

interface EdgeProcess {
  readonly url: string
  readonly child: ChildProcess
}

let database: FreshDatabase
let operator: ReturnType<typeof connectPrisma>
let service: ScriptedService
let demo: DemoWorkspace
const children: ChildProcess[] = []

beforeAll(async () => {
  database = await freshDatabase()
  operator = connectPrisma({ databaseUrl: database.url, max: 2 })
  demo = await createDemoWorkspace(database.url)
  service = await startService((request, response) => request.resume().on('end', () => response.end('{}')))
})

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await exited
  }
})

afterAll(async () => {
  await service.stop()
  await operator.$disconnect()
  await database.drop()
})

/** Address of the metrics of each edge. */
const metricsUrls = new Map<string, string>()

async function startProcess(): Promise<EdgeProcess> {
  const port = await anyFreePort()
  const adminPort = await anyFreePort()
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'main.ts')], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      DATABASE_URL: database.url,
      INFERENCE_URL: service.origin,
      LOGGING_URL: service.origin,
      JUDGING_URL: service.origin,
      EVAL_URL: service.origin,
      ALIAS_URL: service.origin,
      TRAINING_URL: service.origin,
      VOICE_URL: service.origin,
      IDENTITY_MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(child)
  const url = `http://127.0.0.1:${port}`
  metricsUrls.set(url, `http://127.0.0.1:${adminPort}/metrics`)
  await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), { withinMs: 45_000 })
  return { url, child }
}

async function chat(url: string, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: '{}' })
  await answer.text()
  return answer.status
}

async function hits(url: string): Promise<number> {
  const text = await (await fetch(metricsUrls.get(url) ?? '')).text()
  return Number(/^ratchet_edge_key_cache_hits_total\{[^}]*\} (\S+)$/m.exec(text)?.[1])
}

/** Waits until the edge answers this key from memory. */
async function remembers({ url }: EdgeProcess, key: string): Promise<void> {
  await eventually(async () => {
    const before = await hits(url)
    expect(await chat(url, key)).toBe(200)
    expect(await hits(url)).toBe(before + 1)
  })
}

async function revoke(keyId: string): Promise<number> {
  const startedAt = performance.now()
  await revokeApiKey(operator, { id: keyId, at: new Date() })
  return performance.now() - startedAt
}

it('refuses a key that was revoked while it was frozen, in the first request after it', async () => {
  const [frozen, running] = await Promise.all([startProcess(), startProcess()])
  for (let round = 0; round < 3; round++) {
    const { apiKey, keyId } = await demo.addMember('admin')
    await remembers(frozen, apiKey)
    await remembers(running, apiKey)
    frozen.child.kill('SIGSTOP')
    const ms = await revoke(keyId)
    expect(ms).toBeGreaterThan(1_500)
    expect(ms).toBeLessThan(5_000)
    expect(await chat(running.url, apiKey)).toBe(401)
    const asked = Promise.all(Array.from({ length: 20 }, () => chat(frozen.url, apiKey)))
    // They arrive in the sockets of the frozen process, so it reads them first when it continues.
    await elapse(100)
    frozen.child.kill('SIGCONT')
    expect(new Set(await asked)).toEqual(new Set([401]))
  }
}, 60_000)

it('is waited for at most once when it was killed', async () => {
  const [killed, running] = await Promise.all([startProcess(), startProcess()])
  const [first, second] = [await demo.addMember('admin'), await demo.addMember('member')]
  for (const edge of [killed, running]) for (const { apiKey } of [first, second]) await remembers(edge, apiKey)
  killed.child.kill('SIGKILL')
  const ms = await revoke(first.keyId)
  expect(ms).toBeGreaterThan(1_500)
  expect(ms).toBeLessThan(5_000)
  expect(await revoke(second.keyId)).toBeLessThan(1_500)
  for (const { apiKey } of [first, second]) expect(await chat(running.url, apiKey)).toBe(401)
}, 60_000)
