import { randomUUID } from 'node:crypto'
import { eventually } from '@ratchet/testing/eventually'
import { maxCachedBodyBytes, type ResponseCache } from './response-cache.ts'

export interface CacheUnderTest {
  readonly cache: ResponseCache
  /** Lets so many milliseconds pass for the cache. */
  pass(ms: number): Promise<void>
}

/** The behaviour of every response cache; both the real one and the one in memory run it. */
export function responseCacheContract(name: string, open: () => Promise<CacheUnderTest>): void {
  const answer = { servedModel: 'sim/large', dropped: '', body: Buffer.from([0, 255, 10, 123]) }
  const newKey = () => `${randomUUID()}:key`

  describe(name, () => {
    it('misses what was not stored', async () => {
      const { cache } = await open()
      expect(await cache.get(newKey())).toBeNull()
    })

    it('returns what was stored, under its key alone', async () => {
      const { cache } = await open()
      const [key, other] = [newKey(), newKey()]
      cache.put(key, answer, 60)
      await eventually(async () => expect(await cache.get(key)).toEqual(answer))
      expect(await cache.get(other)).toBeNull()
    })

    it('answers many reads at once, each with its own entry', async () => {
      const { cache } = await open()
      const keys = Array.from({ length: 40 }, newKey)
      for (const [index, key] of keys.entries()) cache.put(key, { ...answer, servedModel: `sim/${index}` }, 60)
      await eventually(async () => {
        const found = await Promise.all(keys.map((key) => cache.get(key)))
        expect(found.map((item) => item?.servedModel)).toEqual(keys.map((_, index) => `sim/${index}`))
      })
    })

    it('returns the last of two writes', async () => {
      const { cache } = await open()
      const key = newKey()
      cache.put(key, answer, 60)
      cache.put(key, { ...answer, servedModel: 'sim/small' }, 60)
      await eventually(async () => expect((await cache.get(key))?.servedModel).toBe('sim/small'))
    })

    it('expires an answer after its time', async () => {
      const { cache, pass } = await open()
      const key = newKey()
      cache.put(key, answer, 1)
      await eventually(async () => expect(await cache.get(key)).toEqual(answer))
      await pass(1_000)
      expect(await cache.get(key)).toBeNull()
    })

    it('stores a body up to the maximum, and no larger one', async () => {
      const { cache } = await open()
      const [fits, large] = [newKey(), newKey()]
      cache.put(large, { ...answer, body: Buffer.alloc(maxCachedBodyBytes + 1) }, 60)
      cache.put(fits, { ...answer, body: Buffer.alloc(maxCachedBodyBytes) }, 60)
      await eventually(async () => expect((await cache.get(fits))?.body).toHaveLength(maxCachedBodyBytes))
      expect(await cache.get(large)).toBeNull()
    })
  })
}
