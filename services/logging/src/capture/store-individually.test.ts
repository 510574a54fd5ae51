import { createStoreIndividually } from './store-individually.ts'
import type { StreamItem } from './stream-entry.ts'

const item = (id: string): StreamItem => ({ id, captured: null, summary: () => [] })
const batch = (...ids: string[]) => ids.map(item)

/** A log in which the `bad` exchanges cannot be stored, and nothing can while it is unavailable. */
function log(...bad: string[]) {
  const stored: string[] = []
  const deadLettered: string[] = []
  const state = { isUnavailable: false }
  const storeIndividually = createStoreIndividually({
    store: async ([one]) => {
      if (state.isUnavailable || bad.includes(one?.id ?? '')) throw new Error('it takes too long')
      stored.push(one?.id ?? '')
    },
    successes: () => stored.length,
    deadLetter: async (items) => void deadLettered.push(...items.map(({ id }) => id)),
  })
  return { stored, deadLettered, state, storeIndividually }
}

it('stores every exchange but the one that cannot be stored', async () => {
  const { storeIndividually, stored, deadLettered } = log('b')
  await storeIndividually(batch('a', 'b', 'c'), 3)
  expect([stored.toSorted(), deadLettered]).toEqual([['a', 'c'], []])
})

it('dead-letters an exchange that fails again and again while others are stored', async () => {
  const { storeIndividually, deadLettered } = log('b')
  await storeIndividually(batch('a', 'b'), 3)
  for (const other of ['c', 'd', 'e', 'f']) {
    expect(deadLettered).toEqual([])
    await storeIndividually(batch(other), 3)
    await storeIndividually(batch('b'), 3)
  }
  expect(deadLettered).toEqual(['b'])
})

it('dead-letters no exchange while nothing can be stored', async () => {
  const { storeIndividually, deadLettered, state } = log()
  state.isUnavailable = true
  for (let time = 0; time < 20; time += 1) await storeIndividually(batch('a'), 3)
  expect(deadLettered).toEqual([])
})

it('throws after a few exchanges when nothing can be stored', async () => {
  const { storeIndividually, state } = log()
  state.isUnavailable = true
  await expect(storeIndividually(batch('a', 'b', 'c', 'd', 'e'), 3)).rejects.toThrow('it takes too long')
})

it('stores the exchanges behind bad ones at the beginning of a batch', async () => {
  const { storeIndividually, stored } = log('a', 'b', 'c')
  const items = batch('a', 'b', 'c', 'd', 'e')
  for (const from of [3, 4, 5, 6, 7]) await storeIndividually(items, from).catch(() => undefined)
  expect(stored).toEqual(expect.arrayContaining(['d', 'e']))
})
