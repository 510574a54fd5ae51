import { createPoolUses, type PoolUseStore, type VersionUse } from './pool-uses.ts'

const use: VersionUse = { versionId: 'v', workspaceId: 'w' }

/** A store whose answers are given, on a clock that only waiting moves. */
function uses(answers: (nowMs: number) => readonly string[]) {
  let nowMs = 0
  const noted: VersionUse[][] = []
  let wakes = 0
  const store: PoolUseStore = {
    note: async (some) => void noted.push([...some]),
    wake: async () => {
      wakes += 1
    },
    addresses: async () => answers(nowMs),
  }
  const delay = async (ms: number) => {
    nowMs += ms
  }
  const made = createPoolUses({ store, clockMs: () => nowMs, delay, maxWaitMs: 20_000 })
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { made, noted, wakes: () => wakes, nowMs: () => nowMs, pass }
}

const going = new AbortController().signal

it('waits until an engine has the version', async () => {
  const { made, nowMs, wakes } = uses((now) => (now < 1_000 ? [] : ['http://a']))
  expect(await made.wake(use, [], going)).toBe('http://a')
  expect([nowMs(), wakes()]).toEqual([1_000, 1])
})

it('gives up in time, and at once when the client has left', async () => {
  const { made, nowMs } = uses(() => [])
  expect(await made.wake(use, [], going)).toBeNull()
  expect(nowMs()).toBe(20_000)
  expect(await made.wake(use, [], AbortSignal.abort())).toBeNull()
  expect(nowMs()).toBe(20_000)
})

it('takes an engine that did not answer only after it was looked at again', async () => {
  const { made, nowMs } = uses(() => ['http://a'])
  expect(await made.wake(use, ['http://a'], going)).toBe('http://a')
  expect(nowMs()).toBe(6_000)
})

it('notes a use every ten seconds, of all requests together', async () => {
  const { made, noted, pass } = uses(() => [])
  for (let request = 0; request < 5; request += 1) made.noteUse('v', 'w')
  await made.flush()
  await made.flush()
  pass(9_999)
  made.noteUse('v', 'w')
  await made.flush()
  expect(noted).toEqual([[use]])
  pass(1)
  made.noteUse('v', 'w')
  await made.flush()
  expect(noted).toEqual([[use], [use]])
})

it('asks once for all who wait, and again after a failure', async () => {
  let [asked, wakes] = [0, 0]
  const store: PoolUseStore = {
    note: async () => {},
    wake: async () => {
      wakes += 1
      if (wakes === 1) throw new Error('no database')
    },
    addresses: async () => {
      asked += 1
      return ['http://a']
    },
  }
  const made = createPoolUses({ store, clockMs: () => 0, delay: async () => {}, maxWaitMs: 1_000 })
  await expect(made.wake(use, [], going)).rejects.toThrow('no database')
  expect(await Promise.all([1, 2, 3].map(() => made.wake(use, [], going)))).toEqual([
    'http://a',
    'http://a',
    'http://a',
  ])
  expect([asked, wakes]).toEqual([1, 2])
})
