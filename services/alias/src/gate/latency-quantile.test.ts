import { bucketLatencyMs, latencyBucket } from '@ratchet/stats/latency-bucket'
import { randomFromSeed } from '@ratchet/stats/random-from-seed'
import { latencyQuantile } from './latency-quantile.ts'

const requested = { quantile: 0.95, alpha: 0.05 }

function countsOf(latenciesMs: readonly number[]): ReadonlyMap<number, number> {
  const buckets = Map.groupBy(latenciesMs, latencyBucket)
  return new Map([...buckets].map(([bucket, all]) => [bucket, all.length]))
}

it('there is no quantile without answers', () => {
  expect(latencyQuantile(new Map(), requested)).toBeNull()
})

it('there is no upper bound with too few answers', () => {
  expect(latencyQuantile(countsOf(Array.from({ length: 60 }, () => 100)), requested)?.highMs).toBeNull()
})

it('a single slow answer gives no lower bound', () => {
  expect(latencyQuantile(countsOf([9_000]), requested)?.lowMs).toBe(0)
  expect(latencyQuantile(countsOf(Array.from({ length: 5 }, () => 9_000)), requested)?.lowMs).toBeGreaterThan(8_000)
})

it('the estimate is within one bucket of the true quantile, and the sequence contains it', () => {
  const sorted = Array.from({ length: 1_000 }, (_, index) => index + 1)
  const found = latencyQuantile(countsOf(sorted), requested)
  expect(found?.estimateMs).toBeGreaterThanOrEqual(950 / 1.06)
  expect(found?.estimateMs).toBeLessThanOrEqual(950 * 1.06)
  expect(found?.lowMs).toBeLessThan(950)
  expect(found?.highMs).toBeGreaterThan(950)
})

it('the sequence contains the true quantile at every reading in at least 95 of 100 runs', () => {
  const truth = -Math.log(0.05) * 100
  let misses = 0
  for (let run = 0; run < 100; run += 1) {
    const random = randomFromSeed(`latency ${run}`)
    const drawn: number[] = []
    const isMissed = Array.from({ length: 12 }, () => {
      for (let each = 0; each < 100; each += 1) drawn.push(1 - Math.log(1 - random()) * 100)
      const { lowMs = 0, highMs = null } = latencyQuantile(countsOf(drawn), requested) ?? {}
      return truth + 1 < lowMs || (highMs !== null && truth + 1 > highMs)
    })
    if (isMissed.includes(true)) misses += 1
  }
  expect(misses).toBeLessThanOrEqual(5)
})

it('the latency of a bucket is its upper bound', () => {
  expect(bucketLatencyMs(latencyBucket(250))).toBeGreaterThanOrEqual(250)
})
