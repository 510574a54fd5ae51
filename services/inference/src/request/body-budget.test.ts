import { createBodyBudget } from './body-budget.ts'

describe('createBodyBudget', () => {
  it('accepts bodies up to the limit, and again after one has left', () => {
    const budget = createBodyBudget(100)
    const leave = budget.enter(60)
    budget.enter(40)
    expect(() => budget.enter(1)).toThrow(expect.objectContaining({ code: 'service_unavailable' }))
    leave()
    leave()
    budget.enter(60)
    expect(() => budget.enter(1)).toThrow()
  })

  it('accepts a single body of any size', () => {
    const budget = createBodyBudget(100)
    const leave = budget.enter(1_000)
    expect(() => budget.enter(1)).toThrow()
    leave()
    budget.enter(1)
  })
})
