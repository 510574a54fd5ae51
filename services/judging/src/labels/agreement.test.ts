import type { Verdict } from '@ratchet/contracts/criteria'
import { runToEnd } from '@ratchet/service-kit/timing/run-to-end'
import { cohenKappa as kappaOf } from '@ratchet/stats/cohen-kappa'
import { fleissKappa as fleissOf } from '@ratchet/stats/fleiss-kappa'
import { seededRandom } from '@ratchet/testing/seeded-random'
import fc from 'fast-check'
import { type Agreement, agreementOf } from './agreement.ts'
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

const agreed = (grades: readonly CountedGrade[]) => runToEnd(agreementOf(grades))

it('ignores items with one grader', () => {
  expect(agreed(gradesOf({ x: 'ann:p', y: 'bob:f' }))).toEqual({
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
  const agreement = agreed(gradesOf({ w: 'ann:p bob:p cid:p', x: 'ann:f bob:f cid:p', y: 'ann:p bob:f', z: 'cid:f' }))
  expect(agreement).toMatchObject({ pairs: 7, rawAgreement: 4 / 7 })
  expect(agreement.graders).toEqual([
    { graderId: 'ann', grades: 3, withMajority: 1 },
    { graderId: 'bob', grades: 3, withMajority: 1 },
    { graderId: 'cid', grades: 2, withMajority: 0.5 },
  ])
})

it('lists items on which graders differ, those without a majority first', () => {
  const { disagreements } = agreed(gradesOf({ a: 'ann:p bob:p cid:f', b: 'ann:p bob:f', c: 'ann:p bob:p' }))
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
  const { cohenKappa } = agreed(gradesOf(Object.fromEntries(said.map((each, n) => [`i${n}`, each]))))
  expect(cohenKappa).toBeCloseTo(0.844156, 6)
})

it('gives kappa 1 for two graders who always agree, with both verdicts', () => {
  const agreement = agreed(gradesOf({ a: 'ann:p bob:p', b: 'ann:f bob:f' }))
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
  const { disagreements, fleissKappa, ...numbers } = agreed(grades)
  const again = agreed(shuffled.map(([, grade]) => grade))
  expect(again).toMatchObject(numbers)
  expect(again.fleissKappa).toBeCloseTo(fleissKappa ?? Number.NaN, 9)
  const keys = (found: readonly CountedGrade[]) => found.map(({ itemKey }) => itemKey).toSorted()
  expect(keys(again.disagreements)).toEqual(keys(disagreements))
})

it('accepts an item with ten thousand grades', () => {
  const said = Array.from({ length: 10_000 }, (_, n) => `g${n}:${n % 2 ? 'f' : 'p'}`).join(' ')
  expect(agreed(gradesOf({ x: said })).pairs).toBe(49_995_000)
})

type Counts = Pick<Agreement, 'pairs' | 'rawAgreement' | 'cohenKappa' | 'fleissKappa' | 'graders' | 'disagreements'>

/** The same figures from a comparison of all pairs of grades. */
function comparedAll(grades: readonly CountedGrade[]): Counts {
  const items = [...Map.groupBy(grades, ({ itemKey }) => itemKey).values()].filter(({ length }) => length > 1)
  const pairs = items.flatMap((item) =>
    item.flatMap((one, at) => item.slice(at + 1).map((other) => [one, other] as const)),
  )
  const agreeing = pairs.filter(([one, other]) => one.label === other.label)
  const failsOf = (item: readonly CountedGrade[]) => item.filter(({ label }) => label === 'fail').length
  const isTie = (item: readonly CountedGrade[]) => failsOf(item) * 2 === item.length
  const differing = items.filter((item) => failsOf(item) > 0 && failsOf(item) < item.length)
  return {
    pairs: pairs.length,
    rawAgreement: pairs.length === 0 ? null : agreeing.length / pairs.length,
    cohenKappa: busiestKappa(
      pairs.map(([one, other]) => (one.graderId < other.graderId ? [one, other] : [other, one])),
    ),
    fleissKappa: fleissOf(items.map((item) => ({ fails: failsOf(item), passes: item.length - failsOf(item) }))),
    graders: [...new Set(items.flat().map(({ graderId }) => graderId))]
      .map((graderId) => {
        const own = items.filter((item) => item.some((each) => each.graderId === graderId))
        const decided = own.filter((item) => !isTie(item))
        const right = decided.filter((item) => {
          const majority = failsOf(item) * 2 > item.length ? 'fail' : 'pass'
          return item.some((each) => each.graderId === graderId && each.label === majority)
        })
        return {
          graderId,
          grades: own.length,
          withMajority: decided.length === 0 ? null : right.length / decided.length,
        }
      })
      .sort((a, b) => b.grades - a.grades || (a.graderId < b.graderId ? -1 : 1)),
    disagreements: [...differing.filter(isTie), ...differing.filter((item) => !isTie(item))].flatMap(
      ([first]) => first ?? [],
    ),
  }
}

function busiestKappa(pairs: readonly (readonly CountedGrade[])[]): number | null {
  const byNames = Map.groupBy(pairs, (pair) => JSON.stringify(pair.map(({ graderId }) => graderId)))
  const [busiest] = [...byNames].sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1))
  if (busiest === undefined) return null
  const count = (first: Verdict, second: Verdict) =>
    busiest[1].filter(([one, other]) => one?.label === first && other?.label === second).length
  return kappaOf({
    tp: count('fail', 'fail'),
    fn: count('fail', 'pass'),
    fp: count('pass', 'fail'),
    tn: count('pass', 'pass'),
  })
}

const someGrades = fc.uniqueArray(
  fc.record({
    item: fc.nat(6),
    graderId: fc.constantFrom('ann', 'bob', 'cid', 'd"x', 'd', 'é'),
    label: fc.constantFrom<Verdict>('pass', 'fail'),
  }),
  { selector: ({ item, graderId }) => `${item} ${graderId}`, maxLength: 40 },
)

it('gives the figures that a comparison of all pairs of grades gives', () => {
  fc.assert(
    fc.property(someGrades, (some) => {
      const grades = some.map(({ item, graderId, label }) => {
        return { id: `${item}-${graderId}`, itemKey: `i${item}`, logId: null, graderId, label }
      })
      const { ceiling: _, ...figures } = agreed(grades)
      expect(figures).toEqual(comparedAll(grades))
    }),
    { numRuns: 1_000 },
  )
})

it.each([
  ['50 graders of 1,000 items', 50],
  ['two graders of 25,000 items', 2],
  ['50,000 graders of one item', 50_000],
])('lets others have a turn between the grades: %s', (_, graders) => {
  const grades = Array.from({ length: 50_000 }, (_each, n) => {
    const [item, grader] = [Math.floor(n / graders), n % graders]
    return {
      id: `l${n}`,
      itemKey: `i${item}`,
      logId: null,
      graderId: `g${grader}`,
      label: n % 3 ? 'pass' : 'fail',
    } as const
  })
  const steps = agreementOf(grades)
  let [turns, longestMs] = [0, 0]
  for (let isDone = false; !isDone; turns++) {
    const startedAt = performance.now()
    isDone = steps.next().done === true
    longestMs = Math.max(longestMs, performance.now() - startedAt)
  }
  expect(turns).toBeGreaterThan(50_000)
  // A single step is a few milliseconds, or tens of them on a machine that does something else.
  expect(longestMs).toBeLessThan(250)
})
