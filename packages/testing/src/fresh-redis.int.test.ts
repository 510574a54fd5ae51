import { Redis } from 'ioredis'
import { freshRedis } from './fresh-redis.ts'

it('gives every caller a separate empty database, and empties it at the end', async () => {
  const [one, two] = await Promise.all([freshRedis(), freshRedis()])
  expect(one.url).not.toBe(two.url)

  await withRedis(one.url, (redis) => redis.set('key', 'value'))
  expect(await withRedis(two.url, (redis) => redis.dbsize())).toBe(0)

  await Promise.all([one.drop(), two.drop()])
  expect(await withRedis(one.url, (redis) => redis.dbsize())).toBe(0)
})

const before = process.env.TEST_REDIS_URL
afterEach(() => {
  process.env.TEST_REDIS_URL = before
})

it('stores its claims in database 0, even if the variable names another one', async () => {
  const server = new URL(before ?? '')
  const inDatabase = (db: number) => Object.assign(new URL(server), { pathname: `/${db}` }).href
  process.env.TEST_REDIS_URL = inDatabase(3)

  const fresh = await freshRedis()
  const claim = `ratchet:test:database:${new URL(fresh.url).pathname.slice(1)}`
  expect(await withRedis(inDatabase(0), (redis) => redis.exists(claim))).toBe(1)

  await fresh.drop()
  expect(await withRedis(inDatabase(0), (redis) => redis.exists(claim))).toBe(0)
})

describe('without a server', () => {
  it('names the missing variable', async () => {
    delete process.env.TEST_REDIS_URL

    await expect(freshRedis()).rejects.toThrow('TEST_REDIS_URL is not set')
  })

  it('reports that the server does not answer', async () => {
    process.env.TEST_REDIS_URL = 'redis://127.0.0.1:1'

    await expect(freshRedis()).rejects.toThrow('(TEST_REDIS_URL) does not answer')
  })
})

async function withRedis<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url)
  try {
    return await use(redis)
  } finally {
    redis.disconnect()
  }
}
