import { createCapturePace } from './capture-pace.ts'

it('a workspace is above its share until its captures have become rare enough, and others are not', () => {
  let ms = 0
  const pace = createCapturePace(() => ms, { bytesPerSecond: 100, burstBytes: 1_000 })
  expect([pace.add('a', 600), pace.add('a', 400), pace.add('a', 1)]).toEqual([false, false, true])
  expect(pace.add('b', 1_000)).toBe(false)
  ms = 5_000
  expect([pace.add('a', 400), pace.add('a', 200)]).toEqual([false, true])
})

it('is below its share again soon after any load', () => {
  let ms = 0
  const pace = createCapturePace(() => ms, { bytesPerSecond: 100, burstBytes: 1_000 })
  for (let count = 0; count < 100; count += 1) pace.add('a', 1_000)
  ms = 11_000
  expect(pace.add('a', 50)).toBe(false)
})
