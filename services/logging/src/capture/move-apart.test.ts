import type { StreamEntry } from './capture-stream.ts'
import { createMoveApart } from './move-apart.ts'

const entry = (id: string): StreamEntry => ({ id, fields: [] })
const batch = (...ids: string[]) => ids.map(entry)

/** A log in which some entries cannot be stored, or nothing while it is away. */
function log(...bad: string[]) {
  const stored: string[] = []
  const givenUp: string[] = []
  const state = { isAway: false }
  const moveApart = createMoveApart({
    move: async ([one]) => {
      if (state.isAway || bad.includes(one?.id ?? '')) throw new Error('it takes too long')
      stored.push(one?.id ?? '')
    },
    giveUp: async (entries) => void givenUp.push(...entries.map(({ id }) => id)),
  })
  return { stored, givenUp, state, moveApart }
}

it('stores all but the one that cannot be', async () => {
  const { moveApart, stored, givenUp } = log('b')
  await moveApart(batch('a', 'b', 'c'), 3)
  expect([stored.toSorted(), givenUp]).toEqual([['a', 'c'], []])
})

it('gives one up that comes back again and again while others are stored', async () => {
  const { moveApart, givenUp } = log('b')
  await moveApart(batch('a', 'b'), 3)
  for (const other of ['c', 'd', 'e', 'f']) {
    expect(givenUp).toEqual([])
    await moveApart(batch(other), 3)
    await moveApart(batch('b'), 3)
  }
  expect(givenUp).toEqual(['b'])
})

it('gives nobody up while nothing can be stored', async () => {
  const { moveApart, givenUp, state } = log()
  state.isAway = true
  for (let time = 0; time < 20; time += 1) await moveApart(batch('a'), 3)
  expect(givenUp).toEqual([])
})

it('says so soon when nothing can be stored', async () => {
  const { moveApart, state } = log()
  state.isAway = true
  await expect(moveApart(batch('a', 'b', 'c', 'd', 'e'), 3)).rejects.toThrow('it takes too long')
})

it('gets past bad ones at the beginning of a batch', async () => {
  const { moveApart, stored } = log('a', 'b', 'c')
  const entries = batch('a', 'b', 'c', 'd', 'e')
  for (const from of [3, 4, 5, 6, 7]) await moveApart(entries, from).catch(() => undefined)
  expect(stored).toEqual(expect.arrayContaining(['d', 'e']))
})
