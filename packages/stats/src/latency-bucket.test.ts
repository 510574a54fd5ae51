import fc from 'fast-check'
import { bucketLatencyMs, bucketQuantileMs, latencyBucket } from './latency-bucket.ts'

const buckets = Array.from({ length: 401 }, (_, bucket) => bucket)
const threeDaysMs = 3 * 86_400_000

describe('latencyBucket', () => {
  it.each([
    [0, 0],
    [1, 0],
    [1.01, 1],
    [1.05, 1],
    [1.0501, 2],
    [100, 95],
    [1_000, 142],
    [60_000, 226],
    [1e12, 400],
  ])('of %d ms is %i', (ms, bucket) => {
    expect(latencyBucket(ms)).toBe(bucket)
  })

  it('is the first that ends at the latency or above', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: threeDaysMs, noNaN: true }), (ms) => {
        const bucket = latencyBucket(ms)
        expect(bucketLatencyMs(bucket)).toBeGreaterThanOrEqual(ms)
        if (bucket > 0) expect(bucketLatencyMs(bucket - 1)).toBeLessThan(ms)
      }),
    )
  })

  it('is a bucket`s own for where it ends, to the last digit, and the next above it', () => {
    expect(buckets.map((bucket) => latencyBucket(bucketLatencyMs(bucket)))).toEqual(buckets)
    const above = buckets.map((bucket) => latencyBucket(bucketLatencyMs(bucket) * (1 + 1e-15)))
    expect(above).toEqual(buckets.map((bucket) => Math.min(bucket + 1, 400)))
  })

  it('refuses a value that is not a duration', () => {
    for (const ms of [-1, Number.NaN, Number.POSITIVE_INFINITY]) expect(() => latencyBucket(ms)).toThrow(RangeError)
  })
})

describe('bucketLatencyMs', () => {
  it('is the longest latency of the bucket', () => {
    expect(bucketLatencyMs(0)).toBe(1)
    expect(bucketLatencyMs(95)).toBeCloseTo(103.03, 2)
    expect(bucketLatencyMs(400)).toBeGreaterThan(threeDaysMs)
  })

  it('refuses a value that is not a bucket', () => {
    for (const bucket of [-1, 401, 0.5]) expect(() => bucketLatencyMs(bucket)).toThrow(RangeError)
  })
})

describe('bucketQuantileMs', () => {
  const countsOf = (latencies: readonly number[]) =>
    new Map([...Map.groupBy(latencies, latencyBucket)].map(([bucket, all]) => [bucket, all.length]))

  it('is the quantile of the latencies, at most 5 % too high, whatever the order of the buckets', () => {
    const latencies = Array.from({ length: 1_000 }, (_, index) => 1_000 - index)
    for (const quantile of [0.01, 0.5, 0.95, 1]) {
      const found = bucketQuantileMs(countsOf(latencies), quantile) ?? 0
      expect(found).toBeGreaterThanOrEqual(quantile * 1_000 - 1e-9)
      expect(found).toBeLessThan(quantile * 1_000 * 1.05 + 1e-9)
    }
  })

  it('is null without answers', () => {
    expect(bucketQuantileMs(new Map(), 0.5)).toBeNull()
    expect(bucketQuantileMs(new Map([[3, 0]]), 0.5)).toBeNull()
  })
})
