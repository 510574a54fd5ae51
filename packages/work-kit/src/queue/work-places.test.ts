import { eventually } from '@ratchet/testing/eventually'
import { createWorkPlaces } from './work-places.ts'

interface Row {
  readonly id: string
  readonly workspaceId: string
  readonly end: () => void
  readonly ended: Promise<void>
}

/** Rows that end when the test ends them, and the places that work on them. */
function setUp(concurrency: number) {
  let due: Row[] = []
  const started: Row[] = []
  const errors: unknown[] = []
  let searches = 0
  const places = createWorkPlaces<Row>({
    async take({ limit, inProgress, maxOfWorkspace }) {
      searches += 1
      const busy = (row: Row) => inProgress.filter((id) => id === row.workspaceId).length
      const allowed = due.filter((row, index) => {
        const earlier = due.slice(0, index).filter(({ workspaceId }) => workspaceId === row.workspaceId).length
        return busy(row) + earlier < maxOfWorkspace
      })
      const taken = allowed.slice(0, limit)
      due = due.filter((row) => !taken.includes(row))
      return taken
    },
    process(row) {
      started.push(row)
      return row.ended
    },
    workspaceOf: ({ workspaceId }) => workspaceId,
    concurrency,
    onError: (error) => errors.push(error),
    onProgress: () => undefined,
  })
  const add = (workspaceId: string, count: number) => {
    for (let n = 0; n < count; n += 1) {
      const { promise, resolve } = Promise.withResolvers<void>()
      due.push({ id: `${workspaceId}${n}`, workspaceId, end: resolve, ended: promise })
    }
  }
  return { places, add, started, errors, searches: () => searches }
}

const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id)

it('lets one workspace fill as many places as its concurrency, and starts the work of another at once', async () => {
  const { places, add, started } = setUp(4)
  add('a', 10)
  expect(await places.fill()).toBe(4)
  expect(await places.fill()).toBe(0)
  add('b', 2)
  expect(await places.fill()).toBe(1)
  expect(idsOf(started)).toEqual(['a0', 'a1', 'a2', 'a3', 'b0'])
})

it('fills a place again when its row has ended, without being called', async () => {
  const { places, add, started } = setUp(1)
  add('a', 3)
  await places.fill()
  started[0]?.end()
  await eventually(() => expect(idsOf(started)).toEqual(['a0', 'a1']))
})

it('searches once more for all calls during a search', async () => {
  const { places, add, started, searches } = setUp(4)
  add('a', 1)
  await Promise.all(Array.from({ length: 50 }, () => places.fill()))
  expect([idsOf(started), searches()]).toEqual([['a0'], 2])
})

it('stops when its rows have ended, and takes no more', async () => {
  const { places, add, started } = setUp(1)
  add('a', 2)
  await places.fill()
  const stopped = places.stop()
  started[0]?.end()
  await stopped
  expect([idsOf(started), await places.fill()]).toEqual([['a0'], 0])
})

it('reports a row that failed, and a search that failed, and continues', async () => {
  const errors: unknown[] = []
  const results = [new Error('search'), ['row'], []]
  const places = createWorkPlaces<string>({
    async take() {
      const result = results.shift() ?? []
      if (result instanceof Error) throw result
      return result
    },
    process: () => Promise.reject(new Error('row')),
    workspaceOf: () => 'a',
    concurrency: 1,
    onError: (error) => errors.push(error),
    onProgress: () => undefined,
  })
  await expect(places.fill()).rejects.toThrow('search')
  expect(await places.fill()).toBe(1)
  await eventually(() => expect(errors.map(String)).toEqual(['Error: row']))
})
