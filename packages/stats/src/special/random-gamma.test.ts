import { randomFromSeed } from '../random-from-seed.ts'
import { randomGamma } from './random-gamma.ts'

it.each([0.02, 0.5, 1, 3.7, 250, 1e6])('draws of shape %d have that mean and variance', (shape) => {
  const gamma = randomGamma(randomFromSeed(`shape ${shape}`))
  const draws = Array.from({ length: 20_000 }, () => gamma(shape))
  const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length
  const variance = draws.reduce((sum, draw) => sum + (draw - mean) ** 2, 0) / draws.length
  // Five standard errors of the mean; the variance of small shapes is uncertain by their heavy tail.
  expect(Math.abs(mean - shape)).toBeLessThan(5 * Math.sqrt(shape / draws.length))
  expect(Math.abs(variance / shape - 1)).toBeLessThan(5 * Math.sqrt((2 + 6 / shape) / draws.length))
})
