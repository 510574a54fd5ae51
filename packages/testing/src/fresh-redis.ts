import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { testRedisUrl } from './test-servers.ts'

export interface FreshRedis {
  readonly url: string
  /** Empties the numbered database and returns it. */
  drop(): Promise<void>
}

/** Seconds after which the claim of a test that died expires. A claim whose test runs is renewed long before. */
const claimSeconds = 900
const renewMs = 60_000
const waitMs = 60_000

/**
 * An empty numbered Redis database that no other test process uses at the same time. Claims are keys of database 0,
 * which tests do not use.
 *
 * @throws Error when `TEST_REDIS_URL` is missing, its server does not answer, or every database remains taken
 */
export async function freshRedis(): Promise<FreshRedis> {
  const serverUrl = testRedisUrl()
  const db = await withServer(serverUrl, async (server) => {
    const claimed = await claimAny(server)
    await flush(server, claimed)
    return claimed
  })
  const renewal = setInterval(() => void renew(serverUrl, db), renewMs).unref()
  const url = new URL(serverUrl)
  url.pathname = `/${db}`
  return {
    url: url.href,
    drop() {
      clearInterval(renewal)
      return withServer(serverUrl, async (server) => {
        await flush(server, db)
        await server.del(claimKey(db))
      })
    },
  }
}

async function claimAny(server: Redis): Promise<number> {
  const [, count] = (await server.config('GET', 'databases')) as [string, string]
  for (const deadline = performance.now() + waitMs; performance.now() < deadline; await sleep(100)) {
    for (let db = 1; db < Number(count); db += 1) {
      if ((await server.set(claimKey(db), process.pid, 'EX', claimSeconds, 'NX')) === 'OK') return db
    }
  }
  throw new Error(
    `all ${Number(count) - 1} numbered databases of the tests' Redis stayed taken for ${waitMs / 1_000} s`,
  )
}

/** A server that does not answer now is tried again at the next renewal. */
function renew(serverUrl: string, db: number): Promise<unknown> {
  return withServer(serverUrl, (server) => server.expire(claimKey(db), claimSeconds)).catch(() => undefined)
}

async function flush(server: Redis, db: number): Promise<void> {
  await server.select(db)
  await server.flushdb()
  await server.select(0)
}

function claimKey(db: number): string {
  return `ratchet:test:database:${db}`
}

async function withServer<T>(url: string, use: (server: Redis) => Promise<T>): Promise<T> {
  // ioredis prefers the database in a URL to that in the options, and the claims in it would be deleted.
  const claims = new URL(url)
  claims.pathname = '/0'
  const server = new Redis(claims.href, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
  server.on('error', () => undefined)
  try {
    await server.connect()
  } catch (error) {
    throw new Error(`the tests' Redis (TEST_REDIS_URL) does not answer: ${(error as Error).message}`, { cause: error })
  }
  try {
    return await use(server)
  } finally {
    server.disconnect()
  }
}
