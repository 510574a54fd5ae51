import { guardLook, type LookedPrompt } from './guard-look.ts'

const rules = { looks: 10, margin: 0.05 }
/** Prompts whose rates differ a little, around these. */
const prompts = (train: number, holdout: number | null): LookedPrompt[] =>
  Array.from({ length: 64 }, (_, index) => {
    const noise = ((index % 4) - 1.5) * 0.05
    return { train: train + noise, holdout: holdout === null ? null : holdout + ((index % 3) - 1) * 0.05 }
  })

it('is healthy while both judges see the same gain', () => {
  const finding = guardLook(prompts(0.4, 0.4), prompts(0.8, 0.79), rules)
  expect(finding).toMatchObject({ verdict: 'healthy', holdoutGain: { estimate: expect.closeTo(0.39) } })
})

it('is diverging when only the judge of the reward sees it', () => {
  const finding = guardLook(prompts(0.4, 0.4), prompts(0.8, 0.4), rules)
  expect(finding).toMatchObject({ verdict: 'diverging', gap: { estimate: expect.closeTo(0.4) } })
  expect(finding.gap?.lower).toBeGreaterThan(0.05)
})

it('has regressed when the hold-out judge sees a loss that the reward sees too', () => {
  expect(guardLook(prompts(0.8, 0.8), prompts(0.6, 0.6), rules).verdict).toBe('regressed')
})

it('says nothing without a hold-out judge', () => {
  expect(guardLook(prompts(0.4, null), prompts(0.9, null), rules)).toEqual({
    gap: null,
    holdoutGain: null,
    verdict: 'collecting',
  })
})

it('needs more for one of many looks', () => {
  const [few, many] = [1, 200].map((looks) => guardLook(prompts(0.4, 0.4), prompts(0.6, 0.5), { looks, margin: 0 }))
  expect(many?.gap?.lower).toBeLessThan(few?.gap?.lower ?? 0)
})
