import { domainOf } from './value-domain.ts'

it('holds all values and a margin', () => {
  expect(domainOf([0.4, 0.6], [0.5])).toEqual([0.39, 0.61])
})

it('is a range for a single value too', () => {
  const [low, high] = domainOf([3])
  expect(low).toBeLessThan(3)
  expect(high).toBeGreaterThan(3)
})
