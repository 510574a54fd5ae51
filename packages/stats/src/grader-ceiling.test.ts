import { graderCeiling } from './grader-ceiling.ts'

describe('graderCeiling', () => {
  it('is one minus the rate of disagreement, with its interval', () => {
    expect(graderCeiling(46, 50)).toEqual({
      ceiling: 0.92,
      interval: { low: expect.closeTo(0.811618, 6), high: expect.closeTo(0.96845, 6) },
    })
  })

  it('is null without pairs and refuses impossible counts', () => {
    expect(graderCeiling(0, 0)).toBeNull()
    expect(() => graderCeiling(2, 1)).toThrow('agreements must be in 0..1')
  })
})
