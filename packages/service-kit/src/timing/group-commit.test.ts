import { eventually } from '@ratchet/testing/eventually'
import { BatchQueueFull, createGroupCommit } from './group-commit.ts'

/** A `run` whose batches the test finishes. */
function handRun() {
  const batches: { items: readonly number[]; finish: () => void; fail: (error: Error) => void }[] = []
  const run = (items: readonly number[]) =>
    new Promise<readonly string[]>((resolve, reject) => {
      batches.push({ items, finish: () => resolve(items.map((item) => `r${item}`)), fail: reject })
    })
  return { batches, run }
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

describe('createGroupCommit', () => {
  it('puts the items of one turn into one batch and gives each its own result', async () => {
    const batch = createGroupCommit({ run: async (items: readonly number[]) => items.map((item) => item * 2) })
    expect(await Promise.all([batch.add(1), batch.add(2), batch.add(3)])).toEqual([2, 4, 6])
  })

  it('collects everything that arrives while all batches are in flight into the next one', async () => {
    const { batches, run } = handRun()
    const batch = createGroupCommit({ run, maxInFlight: 1 })
    const first = batch.add(1)
    await turn()
    const rest = [batch.add(2), batch.add(3)]
    await turn()
    rest.push(batch.add(4))
    expect(batches.map(({ items }) => items)).toEqual([[1]])
    batches[0]?.finish()
    expect(await first).toBe('r1')
    await turn()
    expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3, 4]])
    batches[1]?.finish()
    expect(await Promise.all(rest)).toEqual(['r2', 'r3', 'r4'])
  })

  it('never runs more batches than maxInFlight nor puts more than maxBatch items into one', async () => {
    const { batches, run } = handRun()
    const batch = createGroupCommit({ run, maxInFlight: 2, maxBatch: 3 })
    const all = Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((item) => batch.add(item)))
    await turn()
    expect(batches.map(({ items }) => items)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ])
    for (const { finish } of batches) finish()
    await turn()
    batches[2]?.finish()
    expect(await all).toEqual(['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8'])
  })

  it('lets a batch run alone for a while, so that what arrives meanwhile shares the next one', async () => {
    const { batches, run } = handRun()
    const batch = createGroupCommit({ run, overlapAfterMs: 30 })
    const answers = [batch.add(1)]
    await turn()
    answers.push(batch.add(2))
    await turn()
    answers.push(batch.add(3))
    await turn()
    expect(batches.map(({ items }) => items)).toEqual([[1]])
    await eventually(() => expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3]]))
    for (const { finish } of batches) finish()
    await Promise.all(answers)
  })

  it('gathers items for some milliseconds, unless a batch is full', async () => {
    const batches: (readonly number[])[] = []
    const run = async (items: readonly number[]) => {
      batches.push(items)
      return items
    }
    const batch = createGroupCommit({ run, gatherMs: 500, maxBatch: 3 })
    const added = [batch.add(1)]
    await turn()
    added.push(batch.add(2))
    await turn()
    expect(batches).toEqual([])
    added.push(batch.add(3), batch.add(4))
    await turn()
    expect(batches[0]).toEqual([1, 2, 3])
    await batch.idle()
    expect([batches, await Promise.all(added)]).toEqual([
      [[1, 2, 3], [4]],
      [1, 2, 3, 4],
    ])
  })

  it('rejects only the items of the batch that failed', async () => {
    const { batches, run } = handRun()
    const batch = createGroupCommit({ run, maxBatch: 1 })
    const outcomes = Promise.allSettled([batch.add(1), batch.add(2)])
    await turn()
    batches[0]?.fail(new Error('no'))
    batches[1]?.finish()
    expect(await outcomes).toEqual([
      { status: 'rejected', reason: new Error('no') },
      { status: 'fulfilled', value: 'r2' },
    ])
  })

  it('rejects items beyond maxQueued immediately, and accepts items again when there is room', async () => {
    const { batches, run } = handRun()
    const batch = createGroupCommit({ run, maxInFlight: 1, maxQueued: 1 })
    const first = batch.add(1)
    await turn()
    const second = batch.add(2)
    await expect(batch.add(3)).rejects.toBeInstanceOf(BatchQueueFull)
    batches[0]?.finish()
    await first
    await turn()
    const fourth = batch.add(4)
    batches[1]?.finish()
    await second
    await turn()
    batches[2]?.finish()
    expect(await fourth).toBe('r4')
  })

  it('rejects a batch that was answered with the wrong number of results', async () => {
    const batch = createGroupCommit({ run: async () => ['one'] })
    const outcomes = await Promise.allSettled([batch.add(1), batch.add(2)])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  it('rejects a batch whose run throws before it returns a promise', async () => {
    const batch = createGroupCommit<number, number>({
      run: () => {
        throw new Error('early')
      },
    })
    await expect(batch.add(1)).rejects.toThrow('early')
  })

  it('is idle when nothing waits or runs, also after a failure', async () => {
    const { batches, run } = handRun()
    const batch = createGroupCommit({ run })
    await batch.idle()
    const failed = batch.add(1).catch(() => 'failed')
    let idle = false
    const idled = batch.idle().then(() => {
      idle = true
    })
    await turn()
    expect(idle).toBe(false)
    batches[0]?.fail(new Error('no'))
    await idled
    expect(await failed).toBe('failed')
  })
})
