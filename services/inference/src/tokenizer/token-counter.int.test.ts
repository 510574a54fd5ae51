import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { createCountThread } from './count-thread.ts'
import { createTokenCounter } from './token-counter.ts'

const stops: (() => unknown)[] = []
const counterOf = () => createTokenCounter({ onStop: (stop) => stops.push(stop), timeLimitMs: 30_000 })

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const megabyte = 1024 * 1024
const filled = (text: string) => text.repeat(Math.ceil(megabyte / text.length)).slice(0, megabyte)
const prose = filled('The quick brown fox jumps over the lazy dog, 1234 times; then it rests. ')

/**
 * The longest processor time of one turn of the event loop in milliseconds, without the time that it waited for the
 * processor.
 */
async function longestTurnMs(work: Promise<unknown>): Promise<number> {
  let longest = 0
  let done = false
  void work.finally(() => {
    done = true
  })
  for (let before = process.threadCpuUsage(); !done; ) {
    await new Promise((resolve) => setImmediate(resolve))
    const { user, system } = process.threadCpuUsage()
    longest = Math.max(longest, (user + system - before.user - before.system) / 1_000)
    before = { user, system }
  }
  return longest
}

describe('createTokenCounter with its thread', () => {
  it('counts like the vocabularies', async () => {
    const { count } = counterOf()
    expect(await count(['Hello,', ' world!'], { encoding: 'o200k_base', owner: 'w1' })).toBe(4)
    expect(await count(['antidisestablishmentarianism'], { encoding: 'cl100k_base', owner: 'w1' })).toBe(6)
    expect(await count([prose], { encoding: 'o200k_base', owner: 'w1' })).toBe(encode(prose).length)
  })

  it('does not block the main loop for a megabyte of any text', async () => {
    const { count } = counterOf()
    for (const text of [prose, '茶'.repeat(megabyte / 3)]) {
      expect(await longestTurnMs(count([text], { encoding: 'o200k_base', owner: 'w1' }))).toBeLessThan(40)
    }
  }, 30_000)

  it.each<[string, string]>([
    ['one letter', filled('a')],
    ['letters without a space', filled('thequickbrownfoxjumps')],
    ['base64', Buffer.from(prose).toString('base64').slice(0, megabyte)],
    ['blanks', filled(' ')],
    ['dashes', filled('-')],
  ])(
    'counts a megabyte of %s within seconds',
    async (_, text) => {
      const tokens = await counterOf().count([text], { encoding: 'o200k_base', owner: 'w1' })
      expect(tokens).toBeGreaterThan(megabyte / 200)
      expect(tokens).toBeLessThanOrEqual(megabyte)
    },
    30_000,
  )
})

describe('createCountThread', () => {
  it('starts again after the batch that killed it', async () => {
    const thread = createCountThread({ batchLimitMs: 30_000 })
    stops.push(() => thread.stop())
    const nonsense = { texts: ['a'], encoding: 'nonsense' as 'o200k_base' }
    await expect(thread.count(nonsense)).rejects.toThrow(/is not a function/)
    expect(await thread.count({ texts: ['Hello'], encoding: 'o200k_base' })).toBe(1)
  })

  it('ends a thread that hangs', async () => {
    const thread = createCountThread({ batchLimitMs: 1 })
    stops.push(() => thread.stop())
    await expect(thread.count({ texts: [prose], encoding: 'o200k_base' })).rejects.toThrow(/longer than 1 ms/)
  })
})
