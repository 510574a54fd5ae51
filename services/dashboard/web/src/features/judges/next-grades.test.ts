import { wilsonInterval } from '@ratchet/stats/wilson-interval'
import { boundsIfTheyAgree } from './next-grades.ts'

it('is the interval of the grades there are and 20 more that agree', () => {
  const now = wilsonInterval(48, 50)
  const then = wilsonInterval(68, 70)
  const found = boundsIfTheyAgree(0.96, [now?.low ?? 0, now?.high ?? 0])
  expect(found?.[0]).toBeCloseTo(then?.low ?? 0, 3)
  expect(found?.[1]).toBeCloseTo(then?.high ?? 0, 3)
})

it('is nothing before the judge is measured', () => {
  expect(boundsIfTheyAgree(null, null)).toBeUndefined()
})
