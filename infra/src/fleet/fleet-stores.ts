import type { ChildSpec } from '../processes/child.ts'
import { findRedis } from '../stores/find-redis.ts'
import { ensureDatabase, postgresSpec, postgresUrl, takesConnections } from '../stores/start-postgres.ts'
import { redisSpec, redisUrl } from '../stores/start-redis.ts'
import { ReadableError } from '../terminal/readable-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { DataPaths } from './data-paths.ts'
import { startOnFreePort } from './start-on-free-port.ts'

export interface StoresOptions {
  readonly data: DataPaths
  readonly env: Readonly<Record<string, string | undefined>>
  readonly postgresPassword: string
  readonly redisPassword: string
  readonly terminal: Terminal
  /** Chooses a free port: the preferred one if possible. */
  readonly portFor: (what: string, preferred: number) => Promise<number>
  /** Starts a process and keeps it running. */
  readonly start: (spec: ChildSpec) => Promise<void>
}

export interface Stores {
  readonly databaseUrl: string
  readonly redisUrl: string
}

const databaseName = 'ratchet'

/**
 * Half of Postgres' default, which the first load fills and Postgres then keeps. What does not fit is in the memory of the
 * operating system, which gives it to others when they need it.
 */
const databaseSettings = { shared_buffers: '64MB' } as const

/** Starts Postgres and Redis on the data folder, unless DATABASE_URL and REDIS_URL name other ones. */
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
    throw new ReadableError('No Postgres answers at DATABASE_URL. Unset it to start one on the data folder.')
  }
  const optionsFor = (port: number) => ({
    folder: data.postgres,
    port,
    password: postgresPassword,
    settings: databaseSettings,
  })
  const port = await startOnFreePort(
    () => portFor('Postgres', 5432),
    (chosen) => terminal.step(`postgres on port ${chosen}`, async () => start(await postgresSpec(optionsFor(chosen)))),
  )
  await ensureDatabase(postgresUrl(optionsFor(port)), databaseName)
  return postgresUrl(optionsFor(port), databaseName)
}

async function startQueueStore({ data, env, redisPassword, terminal, portFor, start }: StoresOptions): Promise<string> {
  const given = env.REDIS_URL
  if (given !== undefined && given !== '') return given
  const program = await findRedis((text) => terminal.line(`▸ ${text}`))
  const optionsFor = (port: number) => ({ program, folder: data.redis, port, password: redisPassword })
  const port = await startOnFreePort(
    () => portFor('Redis', 6379),
    (chosen) => terminal.step(`redis on port ${chosen}`, () => start(redisSpec(optionsFor(chosen)))),
  )
  return redisUrl(optionsFor(port))
}
