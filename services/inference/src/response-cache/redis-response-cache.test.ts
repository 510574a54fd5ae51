import { eventually } from '@ratchet/testing/eventually'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { writeEntry } from './cache-entry.ts'
import { cacheSeal } from './cache-seal.fixture.ts'
import { type CacheRedis, createRedisResponseCache } from './redis-response-cache.ts'
import type { ResponseCacheEvent } from './response-cache.ts'

const answer = { servedModel: 'm', dropped: '', body: Buffer.from('{}') }

function setUp(redis: Partial<CacheRedis>) {
  const clock = fixedClock()
  const events: ResponseCacheEvent[] = []
  const cache = createRedisResponseCache({
    redis: { mgetBuffer: async (keys) => keys.map(() => null), eval: async () => 1, ...redis },
    seal: cacheSeal(),
    now: clock.now,
    onEvent: (event) => void events.push(event),
    timeoutMs: 10,
  })
  return { cache, clock, events }
}

it('sends all reads of one turn of the event loop in one call', async () => {
  const calls: string[][] = []
  const { cache } = setUp({
    async mgetBuffer(keys) {
      calls.push(keys)
      return keys.map(() => null)
    },
  })
  await Promise.all(['a', 'b', 'c'].map((key) => cache.get(key)))
  expect(calls).toEqual([['ratchet:cache:a', 'ratchet:cache:b', 'ratchet:cache:c']])
})

it('misses while Redis hangs, and does not call it after three calls', async () => {
  let asked = 0
  const { cache, clock, events } = setUp({
    mgetBuffer: () => {
      asked += 1
      return new Promise(() => undefined)
    },
  })
  for (let i = 0; i < 10; i++) expect(await cache.get('a')).toBeNull()
  expect(asked).toBe(3)
  cache.put('a', answer, 60)
  clock.advance(1_000)
  await cache.get('a')
  expect(asked).toBe(4)
  expect(events).toEqual([{ kind: 'unavailable', cause: expect.any(Error) }])
})

it.each([
  ['an unreadable entry', Buffer.from('old')],
  ['an entry without a seal, as the release before writes it', writeEntry(answer)],
  ['an entry that was copied from another key', cacheSeal().seal(writeEntry(answer), 'b')],
])('reports %s, and misses', async (_what, entry) => {
  const { cache, events } = setUp({ mgetBuffer: async () => [entry] })
  expect(await cache.get('a')).toBeNull()
  expect(events).toEqual([{ kind: 'unreadable' }])
})

it('drops writes that a slow Redis does not accept, instead of storing them in memory', async () => {
  const sent: Buffer[] = []
  const { cache, events } = setUp({
    eval: (_script, _keys, _entry, _expiries, _sizes, value) => {
      sent.push(value as Buffer)
      return new Promise(() => undefined)
    },
  })
  const large = { ...answer, body: Buffer.alloc(1_000_000) }
  for (let i = 0; i < 40; i++) cache.put('a', large, 60)
  expect(sent).toHaveLength(33)
  expect(events).toEqual(Array.from({ length: 7 }, () => ({ kind: 'dropped', reason: 'too_many' })))
  await eventually(() => expect(events.at(-1)?.kind).toBe('unavailable'))
})

it('reports an answer that is too large', () => {
  const { cache, events } = setUp({})
  cache.put('a', { ...answer, body: Buffer.alloc(1_048_577) }, 60)
  expect(events).toEqual([{ kind: 'dropped', reason: 'too_large' }])
})
