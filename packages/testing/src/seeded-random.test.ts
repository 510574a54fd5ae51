import { seededRandom } from './seeded-random.ts'

it('returns the numbers of mulberry32, the same for the same seed', () => {
  const random = seededRandom(1)
  expect([random(), random(), random()]).toEqual([0.6270739405881613, 0.002735721180215478, 0.5274470399599522])
  expect(seededRandom(2)()).not.toBe(seededRandom(1)())
})
