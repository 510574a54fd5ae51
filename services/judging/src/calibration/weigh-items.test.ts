import type { Verdict } from '@ratchet/contracts/criteria'
import { chooseCandidates, openStrata, reachedWith } from '../labels/choose-candidates.ts'
import type { GradedItem, GradeSampling } from './graded-items.ts'
import { measureJudge } from './measure-judge.ts'
import { weighItems } from './weigh-items.ts'

const item = (sampling: GradeSampling, human: Verdict = 'fail'): GradedItem => ({
  itemKey: 'item',
  human,
  labelId: 'label',
  snapshotId: 'snapshot',
  sampling,
  segment: 'none',
  tag: null,
  gradedAt: new Date(0),
})
const framed = (stratum: string) => item({ kind: 'frame', frameId: 'f', stratum, rows: 40, strata: 2 })
const shares = (items: readonly GradedItem[]) =>
  weighItems(items).map(({ stratum, samplingProbability }) => [stratum, samplingProbability])

it('weighs items of a frame by the share of their stratum that they are', () => {
  const items = [framed('judged_fail'), framed('judged_fail'), framed('judged_pass')]
  expect(shares(items)).toEqual([
    ['f/judged_fail', 2 / 40],
    ['f/judged_fail', 2 / 40],
    ['f/judged_pass', 1 / 40],
  ])
})

it('takes items of a frame for picked while a stratum of it has no grade, because they represent only a part of it', () => {
  expect(shares([framed('judged_fail'), framed('judged_fail')])).toEqual([
    ['picked', 1],
    ['picked', 1],
  ])
})

it('pools random draws', () => {
  expect(shares([item({ kind: 'random', frameId: 'f' }), item({ kind: 'random', frameId: 'f' })])).toEqual([
    ['random', 1],
    ['random', 1],
  ])
})

/** Of 100 judged FAIL people fail 80, of 900 judged PASS 90: the example of verification bias. */
const traffic = Array.from({ length: 1_000 }, (_, index) => ({
  logId: `log-${String((index * 7_919) % 1_000).padStart(3, '0')}`,
  stratum: index < 100 ? 'judged_fail' : 'judged_pass',
  verdict: (index < 100 ? 'fail' : 'pass') as Verdict,
  human: ((index < 100 ? index % 5 < 4 : index % 10 === 0) ? 'fail' : 'pass') as Verdict,
}))

function gradeByDraws(limit: number, total: number) {
  const graded = new Set<string>()
  const offered = new Set<string>()
  const rank = (id: string) => id
  while (graded.size < total) {
    const items = traffic.map((each) => {
      return { ...each, isGraded: graded.has(each.logId), isOffered: offered.has(each.logId) }
    })
    const strata = openStrata(items, rank)
    const chosen = chooseCandidates(strata, 'balanced', { limit: Math.min(limit, total - graded.size), rank })
    for (const logId of reachedWith(strata, chosen)) offered.add(logId)
    for (const { logId } of chosen) graded.add(logId)
  }
  const known = traffic.filter(({ logId }) => graded.has(logId))
  const items = known.map(({ stratum, human }) => {
    const rows = traffic.filter((each) => each.stratum === stratum).length
    return item({ kind: 'frame', frameId: 'f', stratum, rows, strata: 2 }, human)
  })
  return measureJudge(weighItems(items).map((each, index) => ({ ...each, verdict: known[index]?.verdict ?? 'pass' })))
}

it.each([
  [50, 200],
  [10, 200],
  [2, 200],
])('measures the same by draws of %i as by one', (limit, total) => {
  const { tpr, tnr } = gradeByDraws(limit, total)
  const once = gradeByDraws(total, total)
  expect(tpr).toBeCloseTo(once.tpr ?? 0, 9)
  expect(tnr).toBeCloseTo(once.tnr ?? 0, 9)
})

it('measures the true rates when everything was graded', () => {
  const { tpr, tnr } = gradeByDraws(50, 1_000)
  expect(tpr).toBeCloseTo(80 / 170, 9)
  expect(tnr).toBeCloseTo(810 / 830, 9)
})
