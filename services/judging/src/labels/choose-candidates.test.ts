import fc from 'fast-check'
import type { JudgedEntry } from '../judgements/verdict-reads.ts'
import { chooseBalanced, chooseDisputed } from './choose-candidates.ts'

const rank = (logId: string) => logId
const verdict = fc.constantFrom('pass' as const, 'fail' as const)
const judgedSets = fc
  .array(fc.record({ verdict, isDisputed: fc.boolean(), isGraded: fc.constant(false) }), { maxLength: 40 })
  .map((rows) => rows.map((row, index): JudgedEntry => ({ ...row, logId: `log-${String(index).padStart(3, '0')}` })))

function judged(fails: number, passes: number): JudgedEntry[] {
  return Array.from({ length: fails + passes }, (_, index) => ({
    logId: `log-${index}`,
    verdict: index < fails ? 'fail' : 'pass',
    isDisputed: false,
    isGraded: false,
  }))
}

it.each([
  [10, 90, 10, 5, 5],
  [2, 90, 10, 2, 8],
  [90, 1, 10, 9, 1],
  [0, 3, 10, 0, 3],
  [5, 5, 3, 2, 1],
])('of %i fails and %i passes balances %i as %i and %i', (fails, passes, limit, chosenFails, chosenPasses) => {
  const chosen = chooseBalanced(judged(fails, passes), { limit, rank })
  const of = (stratum: string) => chosen.filter((each) => each.stratum === stratum)
  expect([of('judged_fail').length, of('judged_pass').length]).toEqual([chosenFails, chosenPasses])
  for (const { samplingProbability } of of('judged_fail'))
    expect(samplingProbability).toBeCloseTo(chosenFails / fails, 12)
  for (const { samplingProbability } of of('judged_pass'))
    expect(samplingProbability).toBeCloseTo(chosenPasses / passes, 12)
})

it('puts exchanges with different verdicts of the judge first', () => {
  const some = [
    { logId: 'a', verdict: 'pass', isDisputed: false, isGraded: false },
    { logId: 'b', verdict: 'fail', isDisputed: true, isGraded: false },
    { logId: 'c', verdict: 'pass', isDisputed: false, isGraded: false },
  ] as const
  const chosen = chooseDisputed(some, { limit: 2, rank })
  expect(chosen.map(({ logId, stratum, samplingProbability }) => [logId, stratum, samplingProbability])).toEqual([
    ['b', 'disputed', 1],
    ['a', 'agreed', 0.5],
  ])
})

it.each([
  ['balanced', chooseBalanced],
  ['disagreement', chooseDisputed],
])('%s: weights of the chosen exchanges add up to the size of their strata', (_name, choose) => {
  fc.assert(
    fc.property(judgedSets, fc.integer({ min: 1, max: 50 }), (exchanges, limit) => {
      const chosen = choose(exchanges, { limit, rank })
      expect(chosen).toHaveLength(Math.min(limit, exchanges.length))
      expect(new Set(chosen.map(({ logId }) => logId)).size).toBe(chosen.length)
      for (const members of Map.groupBy(chosen, ({ stratum }) => stratum).values()) {
        const weight = members.reduce((sum, { samplingProbability }) => sum + 1 / samplingProbability, 0)
        expect(weight).toBeCloseTo(Math.round(weight), 6)
      }
    }),
  )
})

it('continues after graded exchanges, and gives the share of the stratum that is then graded', () => {
  const exchanges = judged(20, 0)
  const first = chooseBalanced(exchanges, { limit: 5, rank }).map(({ logId }) => logId)
  const graded = exchanges.map((each) => ({ ...each, isGraded: first.includes(each.logId) }))
  const second = chooseBalanced(graded, { limit: 5, rank })
  expect(second.map(({ samplingProbability }) => samplingProbability)).toEqual([0.5, 0.5, 0.5, 0.5, 0.5])
  const both = [...first, ...second.map(({ logId }) => logId)]
  expect(both.toSorted()).toEqual(
    exchanges
      .map(({ logId }) => logId)
      .sort()
      .slice(0, 10),
  )
})
