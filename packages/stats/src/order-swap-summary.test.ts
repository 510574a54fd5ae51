import { orderSwapSummary } from './order-swap-summary.ts'

describe('orderSwapSummary', () => {
  it('is as tabled', () => {
    const summary = orderSwapSummary({ bothA: 46, bothB: 30, firstBoth: 17, secondBoth: 7 })
    expect(summary).toEqual({
      consistency: 0.76,
      winRate: 0.58,
      positionBias: 0.1,
      positionBiasP: expect.closeTo(0.063915, 6),
      winRateShownFirst: 0.63,
      winRateShownSecond: 0.53,
      unreliable: false,
    })
  })

  it('is unreliable below 60 % consistency only', () => {
    expect(orderSwapSummary({ bothA: 40, bothB: 20, firstBoth: 40, secondBoth: 0 })?.unreliable).toBe(false)
    expect(orderSwapSummary({ bothA: 39, bothB: 20, firstBoth: 41, secondBoth: 0 })?.unreliable).toBe(true)
  })

  it('is null without samples and refuses impossible counts', () => {
    expect(orderSwapSummary({ bothA: 0, bothB: 0, firstBoth: 0, secondBoth: 0 })).toBeNull()
    expect(() => orderSwapSummary({ bothA: 0, bothB: 0, firstBoth: 0.5, secondBoth: 0 })).toThrow('firstBoth')
  })
})
