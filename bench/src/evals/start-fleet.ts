import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { connectPool } from '@ratchet/db/connect-pool'
import { migrate } from '@ratchet/db/migrate'
import { bundleServices } from '@ratchet/infra/bundle/bundle-services'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import type { ServiceContext } from '@ratchet/infra/fleet/service-context'
import { services, simulatedProvider } from '@ratchet/infra/fleet/service-list'
import { serviceSpec } from '@ratchet/infra/fleet/service-spec'
import type { Child } from '@ratchet/infra/processes/child'
import { findRedis } from '@ratchet/infra/stores/find-redis'
import { ensureDatabase, postgresSpec, postgresUrl } from '@ratchet/infra/stores/start-postgres'
import { redisSpec, redisUrl } from '@ratchet/infra/stores/start-redis'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { createDemoWorkspace } from '@ratchet/testing/demo-workspace'
import { type ProcessGroup, serverSpec } from '../targets/process-group.ts'
import type { Caller } from './caller.ts'

/** Workers that a benchmark starts itself, in the number and with the settings that it needs. */
export type MeasuredWorker = 'eval-worker' | 'judging-worker'

export interface BenchFleet {
  /** A client of the edge, for a workspace with logging and credit. */
  readonly caller: Caller
  readonly providerUrl: string
  /** Process ids of all other processes, by name. */
  readonly pids: Readonly<Record<string, number>>
  /** Starts one more measured worker. */
  startWorker(env: ServiceContext['env']): Promise<Child>
}

/** Starts the product like `npm start`, with a provider, but without the measured workers. */
export async function startFleet(group: ProcessGroup, folder: string, measured: MeasuredWorker): Promise<BenchFleet> {
  const stores = await startStores(group, folder)
  const provider = await startProvider(group)
  const ports = new Map<string, number>()
  for (const { name } of services) ports.set(name, await anyFreePort())
  const urlOf = (service: string) => `http://127.0.0.1:${ports.get(service) ?? 1}`
  const context: ServiceContext = {
    host: '127.0.0.1',
    databaseUrl: stores.databaseUrl,
    redisUrl: stores.redisUrl,
    masterKeys: [{ id: 'k1', secret: randomBytes(32) }],
    encryptionKeys: [{ id: 'k1', secret: randomBytes(32) }],
    spillFolder: path.join(folder, 'spill'),
    artifactsFolder: path.join(folder, 'artifacts'),
    simulatedProviderUrl: provider.url,
    urlOf,
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn' },
  }
  mkdirSync(context.spillFolder, { recursive: true })
  const bundle = await bundleServices()
  const start = (name: string, port: number, env: ServiceContext['env'] = {}) => {
    const service = services.find((each) => each.name === name)
    if (service === undefined) throw new Error(`no service ${name}`)
    const own = { ...context, env: { ...context.env, ...env } }
    return group.startTarget(serviceSpec(service, { context: own, port, drainTimeoutMs: 5_000, bundle }))
  }
  const pids: Record<string, number> = { ...stores.pids, provider: provider.pid }
  for (const { name } of services) {
    if (name !== measured) pids[name] = (await start(name, ports.get(name) ?? 0)).pid
  }
  return {
    caller: { url: urlOf('edge'), apiKey: await createCaller(stores.databaseUrl) },
    providerUrl: provider.url,
    pids,
    startWorker: async (env) => start(measured, await anyFreePort(), env),
  }
}

async function startStores(group: ProcessGroup, folder: string) {
  const postgres = { folder: path.join(folder, 'postgres'), port: await anyFreePort(), password: 'bench' }
  const { pid } = await group.startTarget(await postgresSpec(postgres), { quiet: true })
  await ensureDatabase(postgresUrl(postgres), 'ratchet')
  const databaseUrl = postgresUrl(postgres, 'ratchet')
  await migrate(databaseUrl)
  const port = await anyFreePort()
  const program = await findRedis((text) => process.stdout.write(`  ${text}\n`))
  const redis = await group.startTarget(redisSpec({ program, folder: path.join(folder, 'redis'), port }), {
    quiet: true,
  })
  return { databaseUrl, redisUrl: redisUrl({ port }), pids: { Postgres: pid, Redis: redis.pid } }
}

/** A separate process, so that its CPU time is measured separately. */
async function startProvider(group: ProcessGroup): Promise<{ readonly url: string; readonly pid: number }> {
  const port = await anyFreePort()
  const entry = path.join(repositoryRoot, simulatedProvider.entry)
  const spec = serverSpec({ name: 'provider', command: process.execPath, args: [entry], port })
  const { pid } = await group.startTarget(
    { ...spec, env: { ...spec.env, PORT: String(port), SIM_RECORD: 'off' } },
    { quiet: true },
  )
  return { url: `http://127.0.0.1:${port}`, pid }
}

/** Creates a key of a workspace with logging and enough credit. */
async function createCaller(databaseUrl: string): Promise<string> {
  const { workspaceId, apiKey } = await createDemoWorkspace(databaseUrl, { balanceUsd: '1000000.00' })
  const pool = connectPool({ databaseUrl, max: 1 })
  try {
    await pool.query('INSERT INTO workspace_settings (workspace_id, logging_enabled) VALUES ($1, true)', [workspaceId])
  } finally {
    await pool.end()
  }
  return apiKey
}
