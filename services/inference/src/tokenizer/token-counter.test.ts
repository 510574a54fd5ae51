import type { CountBatch, CountThread } from './count-thread.ts'
import { createTokenCounter, type TokenCounterOptions } from './token-counter.ts'

/** A thread that counts characters when the test lets it. */
function steppedThread() {
  const asked: { batch: CountBatch; answer: (tokens: number) => void; die: (error: Error) => void }[] = []
  const thread: CountThread = {
    count: (batch) => new Promise((answer, die) => asked.push({ batch, answer, die })),
    stop: async () => {
      for (const { die } of asked) die(new Error('stopped'))
    },
  }
  return { thread, asked }
}

const instantThread: CountThread = {
  count: async ({ texts }) => texts.join('').length,
  stop: async () => {},
}

function counterOf(options: Partial<TokenCounterOptions>) {
  const stops: (() => unknown)[] = []
  const counter = createTokenCounter({ onStop: (stop) => stops.push(stop), ...options })
  return { ...counter, stop: () => Promise.all(stops.map((stop) => stop())) }
}

const long = 'ab '.repeat(50_000)
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('createTokenCounter', () => {
  it('adds up the slices of a long text', async () => {
    expect(await counterOf({ thread: instantThread }).count([long, 'abc'], 'o200k_base')).toBe(long.length + 3)
  })

  it('starts no thread without texts', async () => {
    const { thread, asked } = steppedThread()
    expect(await counterOf({ thread }).count([], 'o200k_base')).toBe(0)
    expect(asked).toEqual([])
  })

  it('lets a short count overtake a long one', async () => {
    const { thread, asked } = steppedThread()
    const counter = counterOf({ thread })
    const slow = counter.count([long], 'o200k_base')
    const quick = counter.count(['abc'], 'cl100k_base')
    asked[0]?.answer(1)
    await settled()
    expect(asked[1]?.batch).toEqual({ texts: ['abc'], encoding: 'cl100k_base' })
    asked[1]?.answer(3)
    await settled()
    asked[2]?.answer(1)
    expect(await quick).toBe(3)
    await settled()
    asked[3]?.answer(1)
    expect(await slow).toBe(3)
  })

  it('aborts a count after its time, and continues with the next', async () => {
    const { thread, asked } = steppedThread()
    const counter = counterOf({ thread, timeLimitMs: 5 })
    expect(await counter.count([long], 'o200k_base')).toBeNull()
    asked[0]?.answer(1)
    await settled()
    expect(asked).toHaveLength(1)
    const next = counter.count(['abc'], 'o200k_base')
    await settled()
    asked[1]?.answer(3)
    expect(await next).toBe(3)
  })

  it('returns null at once when too many are waiting', async () => {
    const counter = counterOf({ thread: steppedThread().thread, waitingMax: 1, timeLimitMs: 5 })
    const first = counter.count(['a'], 'o200k_base')
    expect(await counter.count(['b'], 'o200k_base')).toBeNull()
    expect(await first).toBeNull()
  })

  it('returns null when the thread dies, reports it, and continues with another', async () => {
    const { thread, asked } = steppedThread()
    const crashes: unknown[] = []
    const counter = counterOf({ thread, restMs: 1, onCrash: (error) => crashes.push(error) })
    const failing = counter.count(['a'], 'o200k_base')
    const waiting = counter.count(['b'], 'o200k_base')
    asked[0]?.die(new Error('out of memory'))
    expect(await failing).toBeNull()
    expect(crashes).toEqual([new Error('out of memory')])
    while (asked.length < 2) await settled()
    asked[1]?.answer(7)
    expect(await waiting).toBe(7)
  })

  it('returns null for all counts once it is stopped', async () => {
    const crashes: unknown[] = []
    const counter = counterOf({ thread: steppedThread().thread, onCrash: (error) => crashes.push(error) })
    const running = [counter.count(['a'], 'o200k_base'), counter.count(['b'], 'o200k_base')]
    await counter.stop()
    expect(await Promise.all(running)).toEqual([null, null])
    expect(await counter.count(['c'], 'o200k_base')).toBeNull()
    expect(crashes).toEqual([])
  })
})
