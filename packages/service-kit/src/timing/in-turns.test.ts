import { inTurns } from './in-turns.ts'

/** Items that end when the test says so. */
function heldItems(count: number) {
  const items = Array.from({ length: count }, () => Promise.withResolvers<string | null>())
  const begun: number[] = []
  const each = (_: unknown, index: number) => {
    begun.push(index)
    return items[index]?.promise ?? Promise.resolve(null)
  }
  return { items, begun, each }
}

it('does every item once, so many at a time, in order', async () => {
  const { items, begun, each } = heldItems(5)
  const done = inTurns(items, 2, each)
  expect(begun).toEqual([0, 1])
  for (const item of items) item.resolve(null)
  expect(await done).toBeNull()
  expect(begun).toEqual([0, 1, 2, 3, 4])
})

it('begins nothing after a value, and waits for what is under way', async () => {
  const { items, begun, each } = heldItems(5)
  let isOver = false
  const done = inTurns(items, 2, each).finally(() => {
    isOver = true
  })
  items[1]?.resolve('enough')
  await items[1]?.promise
  await Promise.resolve()
  expect(isOver).toBe(false)
  items[0]?.resolve('later')
  expect(await done).toBe('enough')
  expect(begun).toEqual([0, 1])
})

it('throws the first error, when the others have ended', async () => {
  const { items, begun, each } = heldItems(4)
  const done = inTurns(items, 3, each)
  items[2]?.reject(new Error('first'))
  items[0]?.reject(new Error('second'))
  items[1]?.resolve(null)
  await expect(done).rejects.toThrow('first')
  expect(begun).toEqual([0, 1, 2])
})

it('has nothing to do without items', async () => {
  expect(await inTurns([], 8, async () => 'never')).toBeNull()
})
