import { ratePosition } from './rate-scale.ts'

it('goes from 0.5 to 1, and gives the last tenth a third of the width', () => {
  expect(ratePosition(0.5)).toBe(0)
  expect(ratePosition(1)).toBe(1)
  expect(1 - ratePosition(0.9)).toBeCloseTo(1 / 3, 1)
})

it('grows with the rate, and stays on the axis below it', () => {
  const positions = [0.2, 0.5, 0.6, 0.8, 0.9, 0.99, 1].map(ratePosition)
  expect(positions).toEqual([...positions].sort((a, b) => a - b))
  expect(positions[0]).toBe(0)
})
