import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { migrate } from '@ratchet/db/migrate'
import { findRedis } from '@ratchet/infra/stores/find-redis'
import { ensureDatabase, type PostgresOptions, postgresUrl, startPostgres } from '@ratchet/infra/stores/start-postgres'
import { redisUrl, startRedis } from '@ratchet/infra/stores/start-redis'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { freshRedis } from '@ratchet/testing/fresh-redis'
import { Redis } from 'ioredis'
import type { FleetStores } from '../fleet-ground.ts'
import type { OnStop } from './describe-fault.ts'
import { type OwnServer, ownServer } from './own-server.ts'

export interface OwnPostgres extends OwnServer {
  /** Connection string of the superuser. */
  url(database?: string): string
  readonly folder: string
}

export interface OwnRedis extends OwnServer {
  readonly url: string
}

export interface OwnPostgresOptions {
  /** Data folder; a temporary one by default. */
  readonly folder?: string
  readonly settings?: Readonly<Record<string, string>>
}

export interface OwnRedisOptions {
  readonly folder?: string
  /** Whether it writes an append-only file. */
  readonly durable?: boolean
}

const database = 'ratchet'
const password = 'test'

/** Creates a folder that every user may enter, because root runs Postgres as another user. */
export async function ownFolder(onStop: OnStop): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ratchet-fault-'))
  onStop(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o711)
  return folder
}

/** Starts a Postgres for one fault. Committed data outlives its processes, but not a crash of the machine. */
export async function ownPostgres(onStop: OnStop, options: OwnPostgresOptions = {}): Promise<OwnPostgres> {
  const folder = options.folder ?? path.join(await ownFolder(onStop), 'postgres')
  const port = await anyFreePort()
  const settings = { fsync: 'off', full_page_writes: 'off', ...options.settings }
  const server: PostgresOptions = { folder, port, password, settings }
  return {
    ...(await ownServer(port, () => startPostgres(server), onStop)),
    url: (name) => postgresUrl(server, name),
    folder,
  }
}

/** The migrated database of such a server; created on the first call. */
export async function migratedDatabase(postgres: OwnPostgres): Promise<string> {
  await ensureDatabase(postgres.url(), database)
  await migrate(postgres.url(database))
  return postgres.url(database)
}

/** Starts a Redis for one fault. */
export async function ownRedis(onStop: OnStop, { folder, durable = false }: OwnRedisOptions = {}): Promise<OwnRedis> {
  const port = await anyFreePort()
  const program = await findRedis(() => undefined)
  const server = { program, folder: folder ?? path.join(await ownFolder(onStop), 'redis'), port, durable }
  return { ...(await ownServer(port, () => startRedis(server), onStop)), url: redisUrl({ port }) }
}

/** Sends commands over a new connection. */
export async function redisCommand<T>(url: string, send: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url)
  try {
    return await send(redis)
  } finally {
    redis.disconnect()
  }
}

/** Stores of a fleet: those of the fault, and stores of the test run for the rest. */
export async function storesWith(onStop: OnStop, own: Partial<FleetStores>): Promise<FleetStores> {
  return {
    databaseUrl: own.databaseUrl ?? (await kept(freshDatabase(), onStop)),
    redisUrl: own.redisUrl ?? (await kept(freshRedis(), onStop)),
  }
}

async function kept(making: Promise<{ readonly url: string; drop(): Promise<void> }>, onStop: OnStop): Promise<string> {
  const { url, drop } = await making
  onStop(drop)
  return url
}
