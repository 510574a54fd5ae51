import { clusteredMeanInterval } from './clustered-mean-interval.ts'
import { expectInterval } from './fixtures/expect-interval.ts'
import { randomFromSeed } from './random-from-seed.ts'
import { studentQuantile } from './special/student-quantile.ts'

describe('clusteredMeanInterval', () => {
  it('is the interval of the t test when every value is a separate cluster', () => {
    // Student’s own data on hours of sleep: mean 1.58, standard deviation 1.229995.
    const gained = [1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4]
    const half = (2.2621571627409915 * 1.2299954832796) / Math.sqrt(10)
    expectInterval(clusteredMeanInterval(gained.map((value) => [value])), [1.58 - half, 1.58 + half], 6)
  })

  it('treats a cluster of equal values like one value', () => {
    const { low, high } = clusteredMeanInterval([[1], [2], [6]])!
    expectInterval(clusteredMeanInterval([1, 2, 6].map((one) => [one, one, one])), [low, high], 12)
  })

  it.each([5, 20])('contains the true value in 95 %% of seeded samples of %i clusters', (clusters) => {
    const random = randomFromSeed('means')
    const drawCluster = () => {
      const own = random()
      return Array.from({ length: 4 }, () => own + random())
    }
    let held = 0
    for (let run = 0; run < 2000; run += 1) {
      const { low, high } = clusteredMeanInterval(Array.from({ length: clusters }, drawCluster))!
      if (low <= 1 && 1 <= high) held += 1
    }
    expect(held / 2000).toBeGreaterThan(0.935)
  })

  it('is null for fewer than two clusters and refuses values that are not finite', () => {
    expect(clusteredMeanInterval([])).toBeNull()
    expect(clusteredMeanInterval([[1, 2, 3], []])).toBeNull()
    expect(() => clusteredMeanInterval([[1], [Number.NaN]])).toThrow('values[1]')
  })
})

describe('studentQuantile', () => {
  it.each([
    [0.975, 1, 12.7062047362],
    [0.975, 2, 4.3026527297],
    [0.975, 9, 2.2621571627],
    [0.975, 30, 2.0422724563],
    [0.975, 499, 1.9647293909],
    [0.05, 4, -2.1318467863],
    [0.5, 3, 0],
  ])('is as tabled for p %d and %i degrees of freedom', (p, freedom, t) => {
    expect(studentQuantile(p, freedom)).toBeCloseTo(t, 8)
  })

  it('refuses impossible arguments', () => {
    expect(() => studentQuantile(0, 3)).toThrow('p must be')
    expect(() => studentQuantile(0.5, 0)).toThrow('freedom')
  })
})
