import type { Verdict } from '@ratchet/contracts/criteria'
import { chooseBalanced } from '../labels/choose-candidates.ts'
import { measureJudge } from './measure-judge.ts'
import { type SampledItem, weighStrata } from './weigh-strata.ts'

const item = (samplingMethod: string | null, stratum: string | null, weight: number): SampledItem => ({
  samplingMethod,
  stratum,
  weight,
})

it('weighs all of a stratum alike, so that they stand for it together, however many draws they came in', () => {
  const drawn = [item('balanced', 'judged_fail', 20), item('balanced', 'judged_fail', 10)]
  const weights = weighStrata(drawn, drawn).map(({ weight }) => weight)
  expect(weights).toEqual([10, 10])
  expect(weighStrata(drawn.slice(0, 1), drawn).map(({ weight }) => weight)).toEqual([20])
})

it('leaves alone what was chosen in another way', () => {
  const others = [item('mine', 'a', 20), item('mine', 'a', 10), item('random', null, 4), item(null, null, 1)]
  expect(weighStrata(others, others)).toEqual(others)
})

/** Of 100 judged FAIL people fail 80, of 900 judged PASS 90: statistics' own example of verification bias. */
const traffic = Array.from({ length: 1_000 }, (_, index) => ({
  logId: `log-${String((index * 7_919) % 1_000).padStart(3, '0')}`,
  verdict: index < 100 ? ('fail' as const) : ('pass' as const),
  human: (index < 100 ? index % 5 < 4 : index % 10 === 0) ? ('fail' as Verdict) : ('pass' as Verdict),
  isDisputed: false,
}))

function gradeByDraws(limit: number, total: number) {
  const graded = new Map<string, SampledItem>()
  while (graded.size < total) {
    const judged = traffic.map((each) => ({ ...each, isGraded: graded.has(each.logId) }))
    for (const { logId, stratum, probability } of chooseBalanced(judged, { limit, rank: (id) => id })) {
      graded.set(logId, item('balanced', stratum, 1 / probability))
    }
  }
  const items = traffic.flatMap((each) => {
    const sampled = graded.get(each.logId)
    return sampled === undefined ? [] : [{ ...each, ...sampled }]
  })
  return measureJudge(weighStrata(items, items))
}

it.each([
  [50, 200],
  [10, 200],
  [2, 200],
])('measures the same by draws of %i as by one', (limit, total) => {
  const { tpr, tnr } = gradeByDraws(limit, total)
  const whole = gradeByDraws(total, total)
  expect(tpr).toBeCloseTo(whole.tpr ?? 0, 9)
  expect(tnr).toBeCloseTo(whole.tnr ?? 0, 9)
})

it('comes to the truth when everything was graded', () => {
  const { tpr, tnr, sampling } = gradeByDraws(50, 1_000)
  expect(tpr).toBeCloseTo(80 / 170, 9)
  expect(tnr).toBeCloseTo(810 / 830, 9)
  expect(sampling).toBe('random')
})
