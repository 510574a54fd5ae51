import fc from 'fast-check'
import { createFairPlaces, type FairPlacesOptions } from './fair-places.ts'

/** End the work that a test left running or waiting: what waits too long would fail while another test runs. */
const endings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const endAll of endings.splice(0)) await endAll()
})

/** Work that ends when the test ends it, in these places. */
function setUp(options: FairPlacesOptions) {
  const places = createFairPlaces(options)
  const running: { readonly name: string; readonly owner: string; readonly end: () => void }[] = []
  const results: Promise<string>[] = []
  const start = (owner: string, name = owner) => {
    const result = places.run(owner, async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      running.push({ name, owner, end: resolve })
      await promise
      return name
    })
    results.push(result)
    return result
  }
  const end = async (name: string) => {
    const index = running.findIndex((each) => each.name === name)
    running.splice(index, 1)[0]?.end()
    // Promises that are settled by now continue, and start waiting work.
    for (let step = 0; step < 10; step += 1) await null
  }
  endings.push(async () => {
    while (running.length > 0) await end(running[0]?.name ?? '')
  })
  return { start, end, results, running, names: () => running.map(({ name }) => name) }
}

it('runs as much work of one owner as it may have places, and the rest in its order', async () => {
  const { start, end, names } = setUp({ places: 4, maxOfOwner: 2 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) void start('a', name)
  expect(names()).toEqual(['a1', 'a2'])
  await end('a2')
  expect(names()).toEqual(['a1', 'a3'])
  await end('a1')
  expect(names()).toEqual(['a3', 'a4'])
})

it('starts work of another owner at once, however much work of the first one waits', async () => {
  const { start, names } = setUp({ places: 4, maxOfOwner: 2 })
  for (let n = 0; n < 1_000; n += 1) void start('a', `a${n}`)
  void start('b', 'b1')
  expect(names()).toEqual(['a0', 'a1', 'b1'])
})

it('refuses at once what is beyond the work that may wait, of one owner and of all', async () => {
  const { start, end, names } = setUp({ places: 1, maxOfOwner: 1, maxWaiting: { ofOwner: 2, ofAll: 3 } })
  for (const name of ['a1', 'a2', 'a3']) void start('a', name)
  const refused = { code: 'service_unavailable' }
  await expect(start('a', 'a4')).rejects.toMatchObject(refused)
  void start('b', 'b1')
  await expect(start('c', 'c1')).rejects.toMatchObject(refused)
  await end('a1')
  expect(names()).toEqual(['b1'])
  void start('c', 'c2')
  await end('b1')
  await end('a2')
  expect(names()).toEqual(['c2'])
})

it('gives a free place to the owners with waiting work in turn', async () => {
  const { start, end, names } = setUp({ places: 1, maxOfOwner: 1 })
  for (let n = 1; n <= 3; n += 1) for (const owner of ['a', 'b', 'c']) void start(owner, `${owner}${n}`)
  const order: string[] = []
  for (let [name] = names(); name !== undefined; [name] = names()) {
    order.push(name)
    await end(name)
  }
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3'])
})

it('gives a free place to the owner that used least time, where it has a clock', async () => {
  let now = 0
  const { start, end, names } = setUp({ places: 1, maxOfOwner: 1, nowMs: () => now })
  const costs: Readonly<Record<string, number>> = { long: 900, short: 100 }
  for (let n = 1; n <= 4; n += 1) void start('long', `long${n}`)
  for (let n = 1; n <= 12; n += 1) void start('short', `short${n}`)
  const order: string[] = []
  for (let [name] = names(); name !== undefined && order.length < 14; [name] = names()) {
    order.push(name.replace(/\d+/, ''))
    now += costs[order.at(-1) ?? ''] ?? 0
    await end(name)
  }
  expect(order.join(' ')).toBe(`long ${'short '.repeat(9)}long ${'short '.repeat(3)}`.trim())
})

it('counts no time for an owner that comes back, neither used nor saved up', async () => {
  let now = 0
  const { start, end, names } = setUp({ places: 1, maxOfOwner: 1, nowMs: () => now })
  for (let n = 1; n <= 5; n += 1) void start('a', `a${n}`)
  for (let n = 1; n <= 2; n += 1) {
    now += 500
    await end(`a${n}`)
  }
  for (let n = 1; n <= 3; n += 1) void start('b', `b${n}`)
  const order: string[] = []
  for (let [name] = names(); name !== undefined; [name] = names()) {
    order.push(name)
    now += 500
    await end(name)
  }
  expect(order).toEqual(['a3', 'b1', 'a4', 'b2', 'a5', 'b3'])
})

it('frees the place of work that fails, and passes the error on', async () => {
  const places = createFairPlaces({ places: 1, maxOfOwner: 1 })
  await expect(places.run('a', () => Promise.reject(new RangeError('no')))).rejects.toThrow(RangeError)
  expect(await places.run('b', async () => 'yes')).toBe('yes')
})

it('refuses work that waited too long, and keeps no place for it', async () => {
  const { start, end, names } = setUp({ places: 1, maxOfOwner: 1, maxWaitMs: 20 })
  void start('a', 'a1')
  await expect(start('a', 'a2')).rejects.toMatchObject({ code: 'service_unavailable' })
  await end('a1')
  expect(names()).toEqual([])
  void start('a', 'a3')
  expect(names()).toEqual(['a3'])
})

it('never exceeds the places, leaves none free that work could use, and loses no work', async () => {
  const step = fc.oneof(fc.record({ owner: fc.constantFrom('a', 'b', 'c', 'd') }), fc.record({ end: fc.nat() }))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
      const { start, end, running, results } = setUp({ places: 5, maxOfOwner: 2 })
      let done = 0
      for (const [index, each] of steps.entries()) {
        if ('owner' in each) void start(each.owner, `${index}`)
        else if (running.length > 0) {
          await end(running[each.end % running.length]?.name ?? '')
          done += 1
        }
        const counts = ['a', 'b', 'c', 'd'].map((owner) => running.filter((other) => other.owner === owner).length)
        expect(running.length).toBeLessThanOrEqual(5)
        expect(Math.max(...counts)).toBeLessThanOrEqual(2)
      }
      while (running.length > 0) {
        await end(running[0]?.name ?? '')
        done += 1
      }
      expect(done).toBe(results.length)
      await Promise.all(results)
    }),
    { numRuns: 50 },
  )
})
