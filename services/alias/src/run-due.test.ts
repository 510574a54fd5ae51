import { eventually } from '@ratchet/testing/eventually'
import { createDueRunner } from './run-due.ts'

/** Work that ends when it is told to. */
function pieces(count: number) {
  const waiting = new Set(Array.from({ length: count }, (_, index) => `w${index}`))
  const ends = new Map<string, () => void>()
  let most = 0
  const runner = createDueRunner({
    due: async (limit) => [...waiting].slice(0, limit),
    async run(id) {
      await new Promise<void>((resolve) => {
        ends.set(id, resolve)
        most = Math.max(most, ends.size)
      })
      ends.delete(id)
      waiting.delete(id)
    },
    concurrency: 3,
    onError: (error) => {
      throw error
    },
  })
  return { runner, ends, waiting, most: () => most }
}

it('does all that is due, a few pieces at a time', async () => {
  const { runner, ends, waiting, most } = pieces(20)
  const filling = runner.fill()
  await eventually(() => {
    for (const end of ends.values()) end()
    return waiting.size === 0
  })
  await filling
  await runner.idle()
  expect(most()).toBe(3)
})

it('goes on with the others while one takes long', async () => {
  const { runner, ends, waiting } = pieces(10)
  void runner.fill()
  await eventually(() => ends.size === 3)
  await eventually(() => {
    for (const [id, end] of ends) if (id !== 'w0') end()
    return waiting.size === 1
  })
  expect([...waiting]).toEqual(['w0'])
  ends.get('w0')?.()
  await runner.idle()
})

it('tells of a piece that broke, and does the others', async () => {
  const reported: unknown[] = []
  const waiting = new Set(['bad', 'good'])
  const runner = createDueRunner({
    due: async () => [...waiting],
    async run(id) {
      waiting.delete(id)
      if (id === 'bad') throw new Error('broken')
    },
    concurrency: 3,
    onError: (error) => reported.push(error),
  })
  await runner.fill()
  await runner.idle()
  expect([waiting.size, reported]).toEqual([0, [new Error('broken')]])
})
