import type { ChildSpec } from './child.ts'
import type { DataPaths } from './data-paths.ts'
import { findRedis } from './find-redis.ts'
import { ReadableError } from './readable-error.ts'
import { ensureDatabase, postgresSpec, postgresUrl, takesConnections } from './start-postgres.ts'
import { redisSpec, redisUrl } from './start-redis.ts'
import type { Terminal } from './terminal.ts'

export interface StoresOptions {
  readonly data: DataPaths
  readonly env: Readonly<Record<string, string | undefined>>
  readonly postgresPassword: string
  readonly terminal: Terminal
  /** A free port for a server that prefers this one. */
  readonly portFor: (what: string, preferred: number) => Promise<number>
  /** Starts a process and keeps it running. */
  readonly start: (spec: ChildSpec) => Promise<void>
}

export interface Stores {
  readonly databaseUrl: string
  readonly redisUrl: string
}

const databaseName = 'ratchet'

/** Starts Postgres and Redis on the data folder, or takes the ones that DATABASE_URL and REDIS_URL name. */
export async function startStores(options: StoresOptions): Promise<Stores> {
  return { databaseUrl: await startDatabase(options), redisUrl: await startQueueStore(options) }
}

async function startDatabase({
  data,
  env,
  postgresPassword,
  terminal,
  portFor,
  start,
}: StoresOptions): Promise<string> {
  const given = env.DATABASE_URL
  if (given !== undefined && given !== '') {
    if (await takesConnections(given)) return given
    throw new ReadableError('No Postgres answers at DATABASE_URL. Unset it to have one started here.')
  }
  const port = await portFor('Postgres', 5432)
  const postgres = { folder: data.postgres, port, password: postgresPassword }
  await terminal.step(`postgres on port ${port}`, async () => {
    await start(await postgresSpec(postgres))
    await ensureDatabase(postgresUrl(postgres), databaseName)
  })
  return postgresUrl(postgres, databaseName)
}

async function startQueueStore({ data, env, terminal, portFor, start }: StoresOptions): Promise<string> {
  const given = env.REDIS_URL
  if (given !== undefined && given !== '') return given
  const program = await findRedis((text) => terminal.line(`▸ ${text}`))
  const port = await portFor('Redis', 6379)
  await terminal.step(`redis on port ${port}`, () => start(redisSpec({ program, folder: data.redis, port })))
  return redisUrl(port)
}
