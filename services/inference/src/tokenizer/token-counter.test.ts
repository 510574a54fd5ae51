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
    expect(
      await counterOf({ thread: instantThread }).count([long, 'abc'], { encoding: 'o200k_base', owner: 'w1' }),
    ).toBe(long.length + 3)
  })

  it('starts no thread without texts', async () => {
    const { thread, asked } = steppedThread()
    expect(await counterOf({ thread }).count([], { encoding: 'o200k_base', owner: 'w1' })).toBe(0)
    expect(asked).toEqual([])
  })

  it('lets a short count overtake a long one', async () => {
    const { thread, asked } = steppedThread()
    const counter = counterOf({ thread })
    const slow = counter.count([long], { encoding: 'o200k_base', owner: 'w1' })
    const quick = counter.count(['abc'], { encoding: 'cl100k_base', owner: 'w1' })
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
    expect(await counter.count([long], { encoding: 'o200k_base', owner: 'w1' })).toBeNull()
    asked[0]?.answer(1)
    await settled()
    expect(asked).toHaveLength(1)
    const next = counter.count(['abc'], { encoding: 'o200k_base', owner: 'w1' })
    await settled()
    asked[1]?.answer(3)
    expect(await next).toBe(3)
  })

  it('counts again for an owner that has just received a count', async () => {
    const { count } = counterOf({ thread: instantThread, timeLimitMs: 200 })
    const one = () => count(['abc'], { encoding: 'o200k_base', owner: 'w1' })
    expect([await one(), await one(), await one()]).toEqual([3, 3, 3])
  })

  it('gives owners their turns alternately, however many counts one of them has', async () => {
    const { thread, asked } = steppedThread()
    const counter = counterOf({ thread })
    for (const text of ['a', 'b', 'c', 'd']) void counter.count([text], { encoding: 'o200k_base', owner: 'many' })
    void counter.count(['x'], { encoding: 'o200k_base', owner: 'one' })
    asked[0]?.answer(1)
    await settled()
    expect(asked.map(({ batch }) => batch.texts[0])).toEqual(['a', 'x'])
  })

  it('leaves places to others than the owner with the most counts', async () => {
    const counter = counterOf({ thread: steppedThread().thread, waitingMax: 8, timeLimitMs: 5 })
    const count = (owner: string) => counter.count(['a'], { encoding: 'o200k_base', owner })
    const first = [count('many'), count('many')]
    expect(await count('many')).toBeNull()
    let isOver = false
    const other = count('one').finally(() => {
      isOver = true
    })
    await settled()
    expect(isOver).toBe(false)
    await Promise.all([...first, other])
  })

  it('returns null at once when too many are waiting', async () => {
    const counter = counterOf({ thread: steppedThread().thread, waitingMax: 1, timeLimitMs: 5 })
    const first = counter.count(['a'], { encoding: 'o200k_base', owner: 'w1' })
    expect(await counter.count(['b'], { encoding: 'o200k_base', owner: 'w1' })).toBeNull()
    expect(await first).toBeNull()
  })

  it('returns null when the thread dies, reports it, and continues with another', async () => {
    const { thread, asked } = steppedThread()
    const crashes: unknown[] = []
    const counter = counterOf({ thread, restMs: 1, onCrash: (error) => crashes.push(error) })
    const failing = counter.count(['a'], { encoding: 'o200k_base', owner: 'w1' })
    const waiting = counter.count(['b'], { encoding: 'o200k_base', owner: 'w1' })
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
    const running = [
      counter.count(['a'], { encoding: 'o200k_base', owner: 'w1' }),
      counter.count(['b'], { encoding: 'o200k_base', owner: 'w1' }),
    ]
    await counter.stop()
    expect(await Promise.all(running)).toEqual([null, null])
    expect(await counter.count(['c'], { encoding: 'o200k_base', owner: 'w1' })).toBeNull()
    expect(crashes).toEqual([])
  })
})
