import path from 'node:path'
import { migrate } from '@ratchet/db/migrate'
import { findRedis } from './find-redis.ts'
import { anyFreePort } from './free-port.ts'
import { ensureDatabase, startPostgres } from './start-postgres.ts'
import { startRedis } from './start-redis.ts'

export interface TestStores {
  /** `TEST_DATABASE_URL`, `TEST_TEMPLATE_DATABASE`, `TEST_REDIS_URL`. */
  readonly env: Readonly<Record<string, string>>
  stop(): Promise<void>
}

export interface TestStoresOptions {
  /** Everything they write goes here; nobody keeps it. */
  readonly folder: string
  readonly say: (text: string) => void
}

const template = 'ratchet_template'

/** Starts a Postgres with a migrated template database, and a Redis, both on free ports. */
export async function startTestStores({ folder, say }: TestStoresOptions): Promise<TestStores> {
  const postgres = await startPostgres({
    folder: path.join(folder, 'postgres'),
    port: await anyFreePort(),
    password: 'test',
    // Survives the death of any process, not of the machine.
    settings: { fsync: 'off', full_page_writes: 'off' },
  })
  try {
    await ensureDatabase(postgres.url(), template)
    await migrate(postgres.url(template))
    const program = await findRedis(say)
    const redis = await startRedis({
      program,
      folder: path.join(folder, 'redis'),
      port: await anyFreePort(),
      durable: false,
    })
    return {
      env: { TEST_DATABASE_URL: postgres.url(), TEST_TEMPLATE_DATABASE: template, TEST_REDIS_URL: redis.url },
      stop: async () => void (await Promise.all([redis.stop(), postgres.stop()])),
    }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}
