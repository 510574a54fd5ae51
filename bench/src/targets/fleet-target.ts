import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { connectPool } from '@ratchet/db/connect-pool'
import { migrate } from '@ratchet/db/migrate'
import { bundleServices } from '@ratchet/infra/bundle/bundle-services'
import { type ServiceContext, services } from '@ratchet/infra/fleet/service-list'
import { serviceSpec } from '@ratchet/infra/fleet/service-spec'
import { anyFreePort } from '@ratchet/infra/processes/free-port'
import { findRedis } from '@ratchet/infra/stores/find-redis'
import { ensureDatabase, postgresSpec, postgresUrl } from '@ratchet/infra/stores/start-postgres'
import { redisSpec, redisUrl } from '@ratchet/infra/stores/start-redis'
import { createDemoWorkspace } from '@ratchet/testing/demo-workspace'
import type { ProcessGroup } from './process-group.ts'
import { chatPath, type Target } from './target.ts'

export interface FleetOptions {
  readonly upstreamUrl: string
  /** Folder for the files of the databases. It must be on a real disk, because each commit waits for it. */
  readonly folder: string
  readonly say: (text: string) => void
  /** Folder in which the services write CPU profiles when they end. */
  readonly profile?: string
}

/** Enough credit for all requests of any run. */
const balanceUsd = '1000000.00'

/** The whole product as `npm start` starts it: all services, Postgres and Redis, with a workspace that has credit. */
export async function startFleetTarget(group: ProcessGroup, options: FleetOptions): Promise<Target> {
  const { folder, say } = options
  const postgres = { folder: path.join(folder, 'postgres'), port: await anyFreePort(), password: randomWord() }
  const database = await group.startTarget(await postgresSpec(postgres), { quiet: true })
  await ensureDatabase(postgresUrl(postgres), 'ratchet')
  const databaseUrl = postgresUrl(postgres, 'ratchet')
  await migrate(databaseUrl)
  const { apiKey } = await createDemoWorkspace(databaseUrl, { balanceUsd })

  const redisPort = await anyFreePort()
  const program = await findRedis(say)
  const redisOptions = { program, folder: path.join(folder, 'redis'), port: redisPort }
  const redis = await group.startTarget(redisSpec(redisOptions), { quiet: true })
  const stores = { databaseUrl, redisUrl: redisUrl(redisPort) }
  const { httpProcesses, edgeUrl } = await startServices(group, { ...options, ...stores })
  return {
    id: 'fleet',
    title: 'Ratchet',
    url: `${edgeUrl}${chatPath}`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    processes: { ...httpProcesses, Postgres: database.pid, Redis: redis.pid },
    httpProcesses,
    describeWork: () => describeLedger(databaseUrl),
  }
}

/** Checks that every answered request was charged. Without charges the gateway would look faster than it is. */
async function describeLedger(databaseUrl: string): Promise<string> {
  const pool = connectPool({ databaseUrl, max: 1 })
  try {
    const { rows } = await pool.query<{ posted: string; open: string; voided: string; held: string }>(
      `SELECT count(*) FILTER (WHERE state = 'posted') AS posted, count(*) FILTER (WHERE state = 'open') AS open,
         count(*) FILTER (WHERE state = 'voided') AS voided, (SELECT sum(held) FROM wallet) AS held
       FROM billing_request`,
    )
    const [{ posted, open, voided, held } = { posted: 0, open: 0, voided: 0, held: 0 }] = rows
    return `Ratchet's ledger afterwards: ${posted} requests charged, ${voided} voided, ${open} open, ${held} held.`
  } finally {
    await pool.end()
  }
}

async function startServices(
  group: ProcessGroup,
  {
    folder,
    upstreamUrl,
    profile,
    databaseUrl,
    redisUrl: redis,
  }: FleetOptions & { databaseUrl: string; redisUrl: string },
): Promise<{ httpProcesses: Record<string, number>; edgeUrl: string }> {
  const ports = new Map<string, number>()
  for (const { name } of services) ports.set(name, await anyFreePort())
  const spillFolder = path.join(folder, 'spill')
  mkdirSync(spillFolder, { recursive: true })
  const context: ServiceContext = {
    host: '127.0.0.1',
    databaseUrl,
    redisUrl: redis,
    masterKeys: [{ id: 'k1', secret: randomBytes(32) }],
    encryptionKeys: [{ id: 'k1', secret: randomBytes(32) }],
    spillFolder,
    simulatedProviderUrl: new URL(upstreamUrl).origin,
    urlOf: (service) => `http://127.0.0.1:${ports.get(service) ?? 0}`,
    env: {
      LOG_LEVEL: 'warn',
      ...(profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` }),
    },
  }
  const bundle = await bundleServices()
  const httpProcesses: Record<string, number> = {}
  for (const service of services) {
    const spec = serviceSpec(service, { context, port: ports.get(service.name) ?? 0, drainTimeoutMs: 5_000, bundle })
    const { pid } = await group.startTarget(spec)
    if (service.role === 'http') httpProcesses[service.name] = pid
  }
  return { httpProcesses, edgeUrl: context.urlOf('edge') }
}

function randomWord(): string {
  return randomBytes(16).toString('hex')
}
