import { bucketsOf, countsOf } from './count-buckets.ts'

const buckets = bucketsOf(new Date(1_000), new Date(5_000), 4)

it('makes equal parts', () => {
  expect(buckets).toEqual({ startMs: 1_000, bucketMs: 1_000, count: 4 })
})

it('has zero for parts without a match', () => {
  const found = new Map([
    [0, 2],
    [3, 1],
  ])
  expect(countsOf(buckets, found, null)).toEqual([2, 0, 0, 1])
})

it.each([
  [1_000, [null, 5, 0, 1]],
  [2_999, [null, null, 0, 1]],
  [4_000, [null, null, null, null]],
])('knows nothing of parts that began before the oldest counted match, at %d', (oldestMs, expected) => {
  const found = new Map([
    [1, 5],
    [3, 1],
  ])
  expect(countsOf(buckets, found, oldestMs)).toEqual(expected)
})
