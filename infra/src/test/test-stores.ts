import path from 'node:path'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { findRedis } from '../stores/find-redis.ts'
import { startPostgres } from '../stores/start-postgres.ts'
import { startRedis } from '../stores/start-redis.ts'

/** Variables with the addresses of the servers on which tests create their databases. */
export interface StoreVariables {
  readonly TEST_DATABASE_URL: string
  readonly TEST_REDIS_URL: string
}

export interface TestStores {
  readonly env: StoreVariables
  stop(): Promise<void>
}

export interface TestStoresOptions {
  /** The servers write only to this folder. */
  readonly folder: string
  /** Called before something that takes long, such as installing Redis. */
  readonly say: (text: string) => void
}

/**
 * Starts a Postgres and a Redis for temporary data, on free ports.
 *
 * @throws ReadableError when one of them cannot be found or does not become ready
 */
export async function startTestStores({ folder, say }: TestStoresOptions): Promise<TestStores> {
  const postgres = await startPostgres({
    folder: path.join(folder, 'postgres'),
    port: await anyFreePort(),
    password: 'test',
    // Data survives the end of any process, but not a crash of the machine. Several fleets run at the same time.
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '500' },
  })
  try {
    const program = await findRedis(say)
    const redis = await startRedis({
      program,
      folder: path.join(folder, 'redis'),
      port: await anyFreePort(),
      durable: false,
    })
    return {
      env: { TEST_DATABASE_URL: postgres.url(), TEST_REDIS_URL: redis.url },
      stop: async () => void (await Promise.all([redis.stop(), postgres.stop()])),
    }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}
