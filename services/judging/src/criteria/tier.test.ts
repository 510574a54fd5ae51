import { tierOf } from './tier.ts'

describe('the tier', () => {
  it.each([
    [0.9, 0.9, 'aligned'],
    [0.899, 1, 'weak'],
    [1, 0.75, 'weak'],
    [0.749, 1, 'misaligned'],
    [null, 1, 'unmeasured'],
    [1, null, 'unmeasured'],
  ])('of TPR %s and TNR %s is %s', (tpr, tnr, tier) => {
    expect(tierOf({ tpr, tnr })).toBe(tier)
  })
})
