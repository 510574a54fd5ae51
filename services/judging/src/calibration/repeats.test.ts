import { repeatedRows } from '@ratchet/contracts/calibrations'
import type { JudgementFailure } from '../judgements/judgement.ts'
import { drawRepeated, repeatabilityOf, repeatsOf } from './repeats.ts'

const verdict = (labelId: string, verdict: 'pass' | 'fail' | null, failure: JudgementFailure | null = null) => ({
  labelId,
  verdict,
  failure,
})

describe('rows that are judged twice', () => {
  it.each([
    [0, 0],
    [7, 7],
    [20, 20],
    [100, 20],
    [400, 20],
    [401, 21],
    [5_000, 250],
  ])('of %i are %i', (rows, twice) => {
    expect(repeatedRows(rows)).toBe(twice)
  })

  it('are drawn at random, the same ones for a retry', () => {
    const items = Array.from({ length: 600 }, (_, index) => ({ itemKey: `log ${index}` }))
    const drawn = drawRepeated(items, 'run-1')
    expect(drawn).toHaveLength(30)
    expect(drawRepeated(items.toReversed(), 'run-1')).toEqual(drawn)
    const other = new Set(drawRepeated(items, 'run-2'))
    expect(drawn.filter((item) => other.has(item)).length).toBeLessThan(10)
  })
})

describe('how often a judge agrees with itself', () => {
  it('counts rows with a readable first verdict and a second answer, readable or not', () => {
    const rows = [verdict('a', 'fail'), verdict('b', 'pass'), verdict('c', null, 'unparseable'), verdict('d', 'pass')]
    const again = [verdict('a', 'fail'), verdict('b', null, 'unparseable'), verdict('c', 'pass')]
    expect(repeatsOf(rows, [...again, verdict('d', null, 'refused')])).toEqual({ rows: 2, same: 1 })
    expect(repeatsOf(rows, [verdict('d', null, 'over_cap')])).toBeNull()
    expect(repeatsOf(rows, [])).toBeNull()
  })

  it('has the exact interval', () => {
    const { rate, interval } = repeatabilityOf({ rows: 20, same: 20 })
    expect([rate, interval.low.toFixed(4), interval.high]).toEqual([1, '0.8316', 1])
  })
})
