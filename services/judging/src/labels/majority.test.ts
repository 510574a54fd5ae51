import type { Verdict } from '@ratchet/contracts/criteria'
import { majorityOf } from './majority.ts'

const of = (letters: string): Verdict[] => [...letters].map((letter) => (letter === 'f' ? 'fail' : 'pass'))

it.each([
  ['p', 'pass'],
  ['f', 'fail'],
  ['pf', 'tie'],
  ['ppf', 'pass'],
  ['fpf', 'fail'],
  ['ppff', 'tie'],
  ['pfffp', 'fail'],
])('finds in %s: %s', (grades, majority) => {
  expect(majorityOf(of(grades))).toBe(majority)
})

it('has none without grades', () => {
  expect(() => majorityOf([])).toThrow(RangeError)
})
