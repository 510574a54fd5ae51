import type { Verdict } from '@ratchet/contracts/criteria'
import { chooseBalanced } from '../labels/choose-candidates.ts'
import { measureJudge } from './measure-judge.ts'
import { poolDraws, type SampledItem } from './pool-draws.ts'

const item = (samplingMethod: string | null, stratum: string | null, samplingProbability: number): SampledItem => ({
  samplingMethod,
  stratum,
  samplingProbability,
})

it('gives all items of a stratum one probability, however many draws chose them', () => {
  const drawn = [item('balanced', 'judged_fail', 0.05), item('balanced', 'judged_fail', 0.1)]
  const pooled = poolDraws(drawn, drawn).map(({ samplingProbability }) => samplingProbability)
  expect(pooled).toEqual([0.1, 0.1])
  expect(poolDraws(drawn.slice(0, 1), drawn).map((each) => each.samplingProbability)).toEqual([0.05])
})

it('does not change items that were chosen in another way', () => {
  const others = [item('mine', 'a', 0.05), item('mine', 'a', 0.1), item('random', null, 0.25), item(null, null, 1)]
  expect(poolDraws(others, others)).toEqual(others)
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
    for (const { logId, stratum, samplingProbability } of chooseBalanced(judged, { limit, rank: (id) => id })) {
      graded.set(logId, item('balanced', stratum, samplingProbability))
    }
  }
  const items = traffic.flatMap((each) => {
    const sampled = graded.get(each.logId)
    return sampled === undefined ? [] : [{ ...each, ...sampled }]
  })
  return measureJudge(poolDraws(items, items))
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

it('measures the true rates when everything was graded', () => {
  const { tpr, tnr, sampling } = gradeByDraws(50, 1_000)
  expect(tpr).toBeCloseTo(80 / 170, 9)
  expect(tnr).toBeCloseTo(810 / 830, 9)
  expect(sampling).toBe('random')
})
