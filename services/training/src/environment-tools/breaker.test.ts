import { createBreaker } from './breaker.ts'
import { createPlaces } from './places.ts'
import { toolTrouble } from './tool-calls.ts'

describe('breaker', () => {
  it('stops a tool when eight of its last ten calls failed, and lets one through after 15 seconds', () => {
    const breaker = createBreaker()
    for (let i = 0; i < 7; i += 1) breaker.report('v', 'failed', 0)
    expect(breaker.mayCall('v', 0)).toBe(true)
    breaker.report('v', 'failed', 0)
    expect([breaker.mayCall('v', 14_999), breaker.mayCall('other', 0)]).toEqual([false, true])
    expect([breaker.mayCall('v', 15_000), breaker.mayCall('v', 15_001)]).toEqual([true, false])
    breaker.report('v', 'answered', 15_100)
    expect(breaker.mayCall('v', 15_101)).toBe(true)
  })

  it('stays shut when the one that was let through fails', () => {
    const breaker = createBreaker()
    for (let i = 0; i < 8; i += 1) breaker.report('v', 'failed', 0)
    expect(breaker.mayCall('v', 20_000)).toBe(true)
    breaker.report('v', 'failed', 21_000)
    expect([breaker.mayCall('v', 35_000), breaker.mayCall('v', 36_001)]).toEqual([false, true])
  })

  it('does not mind a failure now and then', () => {
    const breaker = createBreaker()
    for (let i = 0; i < 100; i += 1) breaker.report('v', i % 3 === 0 ? 'failed' : 'answered', i)
    expect(breaker.mayCall('v', 101)).toBe(true)
  })
})

it('lets so many calls of a tool run at one time, and others next to them', async () => {
  const places = createPlaces()
  const ends: (() => void)[] = []
  let running = 0
  const work = () => {
    running += 1
    return new Promise<void>((resolve) => ends.push(resolve)).finally(() => {
      running -= 1
    })
  }
  const all = [1, 2, 3].map(() => places.within('v', 2, work))
  const other = places.within('other', 1, work)
  expect(running).toBe(3)
  ends[0]?.()
  await all[0]
  expect(running).toBe(3)
  for (const end of ends) end()
  await Promise.all([all[1], other])
  ends.at(-1)?.()
  await Promise.all(all)
  expect(running).toBe(0)
})

it.each([
  [{ calls: 100, failures: 20, recordedCalls: 0, recordedHits: 0 }, null],
  [{ calls: 100, failures: 21, recordedCalls: 0, recordedHits: 0 }, 'tool_misses'],
  [{ calls: 19, failures: 19, recordedCalls: 0, recordedHits: 0 }, null],
  [{ calls: 40, failures: 0, recordedCalls: 40, recordedHits: 20 }, null],
  [{ calls: 40, failures: 0, recordedCalls: 40, recordedHits: 19 }, 'tool_misses'],
])('of a run with %j says %s', (counts, trouble) => {
  expect(toolTrouble(counts)).toBe(trouble)
})
