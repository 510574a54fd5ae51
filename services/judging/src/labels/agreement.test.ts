import type { Verdict } from '@ratchet/contracts/criteria'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { agreementOf } from './agreement.ts'
import type { CountedGrade } from './label-queries.ts'

/** Items by name, each with the verdicts of its graders: `ann:f bob:p`. */
function gradesOf(items: Readonly<Record<string, string>>): CountedGrade[] {
  return Object.entries(items).flatMap(([itemKey, said]) =>
    said.split(' ').map((each) => {
      const [graderId = '', letter] = each.split(':')
      const label: Verdict = letter === 'f' ? 'fail' : 'pass'
      return { id: `${itemKey}-${graderId}`, itemKey, logId: itemKey, graderId, label }
    }),
  )
}

it('ignores items with one grader', () => {
  expect(agreementOf(gradesOf({ x: 'ann:p', y: 'bob:f' }))).toEqual({
    pairs: 0,
    rawAgreement: null,
    ceiling: null,
    cohenKappa: null,
    fleissKappa: null,
    graders: [],
    disagreements: [],
  })
})

it('counts pairs within items, and compares graders with the majority, without ties', () => {
  const agreement = agreementOf(
    gradesOf({ w: 'ann:p bob:p cid:p', x: 'ann:f bob:f cid:p', y: 'ann:p bob:f', z: 'cid:f' }),
  )
  expect(agreement).toMatchObject({ pairs: 7, rawAgreement: 4 / 7 })
  expect(agreement.graders).toEqual([
    { graderId: 'ann', grades: 3, withMajority: 1 },
    { graderId: 'bob', grades: 3, withMajority: 1 },
    { graderId: 'cid', grades: 2, withMajority: 0.5 },
  ])
})

it('lists items on which graders differ, those without a majority first', () => {
  const { disagreements } = agreementOf(gradesOf({ a: 'ann:p bob:p cid:f', b: 'ann:p bob:f', c: 'ann:p bob:p' }))
  expect(disagreements.map(({ itemKey }) => itemKey)).toEqual(['b', 'a'])
})

it("gives Cohen's kappa of the pair with the most items in common", () => {
  // ann and bob: 46 both fail, 4 + 8 differ, 142 both pass; cid shares less with either.
  const said = [
    ...Array.from({ length: 46 }, () => 'ann:f bob:f'),
    ...Array.from({ length: 4 }, () => 'ann:f bob:p'),
    ...Array.from({ length: 8 }, () => 'ann:p bob:f'),
    ...Array.from({ length: 142 }, () => 'ann:p bob:p'),
    ...Array.from({ length: 50 }, () => 'bob:p cid:f'),
  ]
  const { cohenKappa } = agreementOf(gradesOf(Object.fromEntries(said.map((each, n) => [`i${n}`, each]))))
  expect(cohenKappa).toBeCloseTo(0.844156, 6)
})

it('gives kappa 1 for two graders who always agree, with both verdicts', () => {
  const agreement = agreementOf(gradesOf({ a: 'ann:p bob:p', b: 'ann:f bob:f' }))
  expect(agreement).toMatchObject({ rawAgreement: 1, cohenKappa: 1, fleissKappa: 1, disagreements: [] })
})

it('does not depend on the order of the grades (seeded)', () => {
  const random = seededRandom(11)
  const items = Object.fromEntries(
    Array.from({ length: 80 }, (_, n) => [
      `i${n}`,
      ['ann', 'bob', 'cid'].map((who) => `${who}:${random() < 0.4 ? 'f' : 'p'}`).join(' '),
    ]),
  )
  const grades = gradesOf(items)
  const shuffled = grades.map((grade) => [random(), grade] as const).sort(([a], [b]) => a - b)
  const { disagreements, fleissKappa, ...numbers } = agreementOf(grades)
  const again = agreementOf(shuffled.map(([, grade]) => grade))
  expect(again).toMatchObject(numbers)
  expect(again.fleissKappa).toBeCloseTo(fleissKappa ?? Number.NaN, 9)
  const keys = (found: readonly CountedGrade[]) => found.map(({ itemKey }) => itemKey).toSorted()
  expect(keys(again.disagreements)).toEqual(keys(disagreements))
})

it('accepts an item with ten thousand grades', () => {
  const said = Array.from({ length: 10_000 }, (_, n) => `g${n}:${n % 2 ? 'f' : 'p'}`).join(' ')
  expect(agreementOf(gradesOf({ x: said })).pairs).toBe(49_995_000)
})
