import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import { Redis } from 'ioredis'
import type { Closing } from './ledger.ts'
import { createSpill } from './spill.ts'

let dir: string
let redisServer: FreshRedis
let redis: Redis
const errors: unknown[] = []

beforeAll(async () => {
  redisServer = await freshRedis()
  redis = new Redis(redisServer.url)
})
afterAll(async () => {
  await redis.quit()
  await redisServer.drop()
})
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'ratchet-spill-'))
  await redis.flushdb()
  errors.length = 0
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const spillOf = (options: Partial<Parameters<typeof createSpill>[0]> = {}) =>
  createSpill({ dir, redis, ownerId: randomUUID(), onError: (error) => errors.push(error), ...options })

const closing = (): Closing => ({
  billingId: randomUUID(),
  workspaceId: randomUUID(),
  costNano: 9_007_199_254_740_993n,
  outcome: 'posted',
  logRow: { requestId: randomUUID(), expiresOn: '2027-01-31' },
})

it('returns what was stored to any process, until it is removed', async () => {
  const [first, second] = [closing(), { ...closing(), costNano: 0n, outcome: 'voided' as const }]
  await spillOf().put(first)
  await spillOf().put(first)
  await spillOf().put(second)
  expect(new Set(await spillOf().list())).toEqual(new Set([first, second]))
  await spillOf().remove(first.billingId)
  expect(await spillOf().list()).toEqual([second])
  await spillOf().remove(first.billingId)
  expect(errors).toEqual([])
})

it('returns what a request without a row is charged by', async () => {
  const escrow = { blockId: randomUUID(), holdNano: 10n ** 18n, kind: 'chat', model: 'a "b"', priceVersion: '1' }
  const items = [
    { ...closing(), escrow: { ...escrow, path: 'block' as const } },
    { ...closing(), escrow: { ...escrow, path: 'row' as const } },
  ]
  for (const item of items) await spillOf().put(item)
  expect(new Set(await spillOf().list())).toEqual(new Set(items))
  for (const { billingId } of items) await spillOf().remove(billingId)
  expect(await spillOf().list()).toEqual([])
  expect(errors).toEqual([])
})

it('keeps it where releases without blocks do not look, which would believe that nothing is to be charged', async () => {
  const escrow = { blockId: randomUUID(), holdNano: 1n, kind: 'chat', model: 'm', priceVersion: '1' }
  await spillOf().put({ ...closing(), escrow: { ...escrow, path: 'block' } })
  expect((await readdir(dir)).filter((name) => name.endsWith('.json'))).toEqual([])
  expect(await redis.hlen('ratchet:ledger:spill')).toBe(0)
  expect(await spillOf().list()).toHaveLength(1)
})

it.each([
  ['only the files', async () => void (await redis.flushdb())],
  ['only Redis', async () => rm(dir, { recursive: true })],
])('loses nothing when only %s are left', async (_, disaster) => {
  const item = closing()
  await spillOf().put(item)
  await disaster()
  expect(await spillOf().list()).toEqual([item])
})

it('stores closings in files when Redis is stopped, frozen or absent', async () => {
  const refused = new Redis({ port: 1, lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
  refused.on('error', () => undefined)
  const frozen = { hset: () => never, hdel: () => never, hgetall: () => never }
  for (const client of [refused, frozen, null]) {
    const item = closing()
    const spill = spillOf({ redis: client, redisTimeoutMs: 20 })
    expect(await spill.put(item)).toBe(true)
    expect(await spill.list()).toEqual([item])
    await spill.remove(item.billingId)
    expect(await spill.list()).toEqual([])
  }
})

const never = new Promise<never>(() => undefined)

it('reports an unavailable Redis for a write, not for every read', async () => {
  const spill = spillOf({ redis: { hset: () => never, hdel: () => never, hgetall: () => never }, redisTimeoutMs: 5 })
  await spill.list()
  expect(errors).toHaveLength(0)
  await spill.put(closing())
  expect(errors).toHaveLength(1)
})

it('reports a closing that is stored nowhere', async () => {
  await writeFile(path.join(dir, 'file'), '')
  expect(await spillOf({ dir: path.join(dir, 'file', 'spill'), redis: null }).put(closing())).toBe(false)
  expect(errors).toHaveLength(1)
})

it('skips unfinished and damaged files, and reports the damaged', async () => {
  const item = closing()
  const spill = spillOf()
  await spill.put(item)
  await writeFile(path.join(dir, `${randomUUID()}.json.${randomUUID()}`), '{"requestId":')
  await writeFile(path.join(dir, `${randomUUID()}.json`), '{"requestId":"x"}')
  expect(await spill.list()).toEqual([item])
  expect(errors).toHaveLength(1)
})

it('leaves no file behind', async () => {
  const items = Array.from({ length: 20 }, closing)
  const spill = spillOf()
  await Promise.all(items.map((item) => spill.put(item)))
  await Promise.all(items.map(({ billingId }) => spill.remove(billingId)))
  expect(await readdir(dir)).toEqual([])
})
