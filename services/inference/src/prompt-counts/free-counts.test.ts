import { createFreeCounts } from './free-counts.ts'

function pending() {
  const ends: ((tokens: number) => void)[] = []
  return { ends, count: () => new Promise<number>((resolve) => ends.push(resolve)) }
}

it('runs few counts of a workspace at a time', async () => {
  const counts = createFreeCounts({ maxOfWorkspace: 1 })
  const { ends, count } = pending()
  const first = counts.run('a', count)
  expect(await counts.run('a', count)).toBeNull()
  const other = counts.run('b', count)
  expect(ends).toHaveLength(2)
  for (const end of ends) end(7)
  expect(await Promise.all([first, other])).toEqual([7, 7])
  expect(await counts.run('a', async () => 8)).toBe(8)
})

it('runs few counts of all workspaces at a time', async () => {
  const counts = createFreeCounts({ maxOfAll: 2 })
  const { ends, count } = pending()
  const running = [counts.run('a', count), counts.run('b', count)]
  expect(await counts.run('c', count)).toBeNull()
  for (const end of ends) end(7)
  await Promise.all(running)
  expect(await counts.run('c', async () => 8)).toBe(8)
})

it('gives the place of a failed count back', async () => {
  const counts = createFreeCounts({ maxOfAll: 1 })
  const failing = counts.run('a', async () => Promise.reject(new Error('failed')))
  await expect(failing).rejects.toThrow('failed')
  expect(await counts.run('a', async () => 8)).toBe(8)
})
