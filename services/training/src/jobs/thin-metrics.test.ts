import fc from 'fast-check'
import type { StepMetrics } from './progress-store.ts'
import { thinMetrics, withNames } from './thin-metrics.ts'

const at = new Date('2026-12-01T00:00:00Z')
const lossesOf = (losses: readonly number[]): readonly StepMetrics[] =>
  losses.map((train_loss, step) => ({ step, at, values: { train_loss, learning_rate: 1 } }))

describe('thinMetrics', () => {
  it('keeps the first and the last step, the peaks, and no more than asked for', () => {
    const losses = fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 5, maxLength: 300 })
    fc.assert(
      fc.property(losses, fc.integer({ min: 4, max: 100 }), (values, points) => {
        const all = lossesOf(values)
        const thinned = thinMetrics(all, points)
        expect(thinned.length).toBeLessThanOrEqual(Math.max(points, 2))
        expect([thinned[0], thinned.at(-1)]).toEqual([all[0], all.at(-1)])
        const steps = thinned.map(({ step }) => step)
        expect(steps).toEqual([...new Set(steps)].sort((left, right) => left - right))
        const highest = Math.max(...values)
        expect(Math.max(...thinned.map((each) => each.values.train_loss ?? 0))).toBe(highest)
      }),
    )
  })

  it('keeps a short job as it is', () => {
    const all = lossesOf([3, 2, 1])
    expect(thinMetrics(all, 3)).toBe(all)
    expect(thinMetrics(all, 2)).toHaveLength(2)
  })
})

it('withNames leaves out other metrics, and steps without any of them', () => {
  const metrics: readonly StepMetrics[] = [
    { step: 1, at, values: { train_loss: 2, valid_loss: 3 } },
    { step: 2, at, values: { train_loss: 1 } },
  ]
  expect(withNames(metrics, ['valid_loss', 'toString'])).toEqual([{ step: 1, at, values: { valid_loss: 3 } }])
})
