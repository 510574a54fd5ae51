import { createBodyBudget } from './body-budget.ts'

describe('createBodyBudget', () => {
  it('lets bodies in while there is room, and again when one has left', () => {
    const budget = createBodyBudget(100)
    const leave = budget.enter(60)
    budget.enter(40)
    expect(() => budget.enter(1)).toThrow(expect.objectContaining({ code: 'service_unavailable' }))
    leave()
    leave()
    budget.enter(60)
    expect(() => budget.enter(1)).toThrow()
  })

  it('lets one body in, however large', () => {
    const budget = createBodyBudget(100)
    const leave = budget.enter(1_000)
    expect(() => budget.enter(1)).toThrow()
    leave()
    budget.enter(1)
  })
})
