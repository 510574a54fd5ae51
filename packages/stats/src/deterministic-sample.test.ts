import fc from 'fast-check'
import { isSampled, samplingBucket } from './deterministic-sample.ts'

const percent = fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100)
const IDS = Array.from({ length: 20_000 }, (_, index) => `req_${index}`)

describe('samplingBucket', () => {
  it.each([
    ['crit_a', 'req_1', 3403],
    ['crit_a', 'req_2', 6325],
    ['crit_a', 'req_3', 1401],
    ['crit_b', 'req_1', 3755],
  ])('of %s and %s is %i', (criterionId, logId, bucket) => {
    expect(samplingBucket(criterionId, logId)).toBe(bucket)
  })
})

describe('isSampled', () => {
  it('selects the same requests and more when the percentage rises', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), percent, percent, (criterionId, logId, one, other) => {
        const ids = { criterionId, logId }
        if (isSampled(ids, Math.min(one, other))) expect(isSampled(ids, Math.max(one, other))).toBe(true)
      }),
    )
  })

  it('selects none at 0, all at 100, and a hundredth of a percent exactly', () => {
    const ids = { criterionId: 'crit_a', logId: 'req_1' }
    expect(isSampled(ids, 0)).toBe(false)
    expect(isSampled(ids, 100)).toBe(true)
    for (const logId of IDS.slice(0, 3000)) {
      const bucket = samplingBucket('crit_a', logId)
      expect(isSampled({ criterionId: 'crit_a', logId }, bucket / 100)).toBe(false)
      expect(isSampled({ criterionId: 'crit_a', logId }, (bucket + 1) / 100)).toBe(true)
    }
  })

  it('selects the given share, independently for two criteria', () => {
    const pickedBy = (criterionId: string) => new Set(IDS.filter((logId) => isSampled({ criterionId, logId }, 20)))
    const [one, other] = [pickedBy('crit_a'), pickedBy('crit_b')]
    expect(Math.abs(one.size - 4000)).toBeLessThan(200)
    expect(Math.abs([...one].filter((id) => other.has(id)).length - 800)).toBeLessThan(100)
  })

  it('refuses a percentage out of range', () => {
    const ids = { criterionId: 'a', logId: 'b' }
    expect(() => isSampled(ids, 101)).toThrow('percent must be in 0..100')
    expect(() => isSampled(ids, Number.NaN)).toThrow(RangeError)
  })
})
