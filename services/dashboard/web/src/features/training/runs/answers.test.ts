import { firstUngraded, nextUngraded } from '../audit/audit-places.ts'
import { placeOf, rolloutQuery } from './rollout-search.ts'

const answers = (grades: readonly ('pass' | 'fail' | null)[]) =>
  grades.map((grade, index) => ({ rollout_id: `r${index + 1}`, grade }))

it.each([
  [[null, null], 1],
  [['pass', null], 2],
  [['pass', 'fail'], 1],
  [[], 1],
] as const)('begins the audit %j at place %d', (grades, place) => {
  expect(firstUngraded(answers(grades))).toBe(place)
})

it.each([
  [[null, null, null], 'r1', 2],
  [[null, 'pass', null], 'r1', 3],
  [[null, 'pass', null], 'r3', 1],
  [['pass', 'fail', null], 'r3', 3],
] as const)('goes on in %j after %s at place %d', (grades, graded, place) => {
  expect(nextUngraded(answers(grades), graded)).toBe(place)
})

it('reads the best answers of steps, and disagreements of looks', () => {
  expect(rolloutQuery({})).toEqual({ kind: 'step', sort: '-reward' })
  expect(rolloutQuery({ sort: 'disagreement', kind: 'step', step: '20' })).toEqual({
    kind: 'look',
    sort: 'disagreement',
    step: '20',
  })
})

it.each([
  [{}, 1],
  [{ n: '12' }, 12],
  [{ n: '0' }, 1],
  [{ n: 'x' }, 1],
])('reads the place of %j as %d', (search, place) => {
  expect(placeOf(search)).toBe(place)
})
