import { seededRandom } from '@ratchet/testing/seeded-random'
import fc from 'fast-check'
import { measureJudge } from './measure-judge.ts'
import type { MeasuredRow } from './measured-row.ts'
import { confusionRows } from './rows.fixture.ts'

/** tp, human fails, tn, human passes; trust, grades needed of each class. */
const vectors = [
  [0, 0, 10, 10, 'unmeasured', null, 25],
  [10, 10, 0, 0, 'unmeasured', 25, null],
  [35, 35, 35, 35, 'trustworthy', null, null],
  [34, 34, 35, 35, 'under-measured', 1, null],
  [10, 10, 10, 10, 'under-measured', 25, 25],
  [52, 53, 69, 71, 'trustworthy', null, null],
  [53, 54, 53, 54, 'trustworthy', null, null],
  [49, 50, 97, 100, 'under-measured', 5, null],
  [45, 50, 95, 100, 'borderline', null, 39],
  [92, 100, 98, 100, 'borderline', null, null],
  [30, 40, 100, 100, 'misaligned', null, null],
  [6, 8, 40, 40, 'under-measured', null, null],
  [600, 650, 700, 720, 'trustworthy', null, null],
] as const

describe('a judge measured on a random sample', () => {
  it.each(vectors)('of %d/%d and %d/%d is %s', (tp, fails, tn, passes, trust, failNeeded, passNeeded) => {
    const confusion = { tp, fn: fails - tp, fp: passes - tn, tn }
    for (const samplingProbability of [1, 0.05]) {
      const measures = measureJudge(confusionRows(confusion, samplingProbability))
      expect([measures.trust, measures.failGradesNeeded, measures.passGradesNeeded]).toEqual([
        trust,
        failNeeded,
        passNeeded,
      ])
      expect(measures).toMatchObject({ confusion, sampling: 'random', effectiveNFail: fails, effectiveNPass: passes })
    }
  })

  it('has the published intervals and kappa', () => {
    const measures = measureJudge(confusionRows({ tp: 46, fn: 4, fp: 5, tn: 95 }))
    expect(measures).toMatchObject({ tpr: 0.92, tnr: 0.95 })
    const [tprLow = 0, tprHigh = 0] = measures.tprCi ?? []
    const [tnrLow = 0, tnrHigh = 0] = measures.tnrCi ?? []
    expect(tprLow).toBeCloseTo(0.8116175308, 9)
    expect(tprHigh).toBeCloseTo(0.9684504859, 9)
    expect(tnrLow).toBeCloseTo(0.8882495308, 9)
    expect(tnrHigh).toBeCloseTo(0.9784563208, 9)
    expect(measures.kappa).toBeCloseTo(0.865672, 6)
  })

  it('has no rate for a class without grades', () => {
    const measures = measureJudge(confusionRows({ tp: 0, fn: 0, fp: 1, tn: 9 }))
    expect(measures).toMatchObject({ tpr: null, tprCi: null, tnr: 0.9, trust: 'unmeasured', effectiveNFail: 0 })
  })
})

it('is not measured better because users contradict half of what is disputed', () => {
  const rowsIn = (stratum: string, counts: Parameters<typeof confusionRows>[0], of: number) => {
    const rows = confusionRows(counts)
    return rows.map((row) => ({ ...row, stratum: `frame/${stratum}`, samplingProbability: rows.length / of }))
  }
  const half = { tp: 0, fn: 1, fp: 0, tn: 20 }
  const trialsWith = (other: string) =>
    measureJudge([
      ...rowsIn('judged_fail', { tp: 60, fn: 0, fp: 2, tn: 0 }, 240),
      ...rowsIn('judged_pass', { tp: 0, fn: 0, fp: 0, tn: 250 }, 1_500),
      ...(other === ''
        ? rowsIn('judged_pass_disputed', { tp: 0, fn: 2, fp: 0, tn: 40 }, 60)
        : [...rowsIn('judged_pass_disputed', half, 30), ...rowsIn(other, half, 30)]),
    ]).effectiveNFail
  expect(trialsWith('judged_pass_contradicted') / trialsWith('')).toBeLessThan(1.1)
})

describe('a judge measured on rows with different sampling probabilities', () => {
  const weighted = [
    ...confusionRows({ tp: 40, fn: 0, fp: 10, tn: 0 }, 1 / 2),
    ...confusionRows({ tp: 0, fn: 5, fp: 0, tn: 45 }, 1 / 18),
  ]

  it('has the rates of the population, where unweighted counts would be too high', () => {
    const measures = measureJudge(weighted)
    expect(measures).toMatchObject({ sampling: 'weighted', confusion: { tp: 40, fn: 5, fp: 10, tn: 45 } })
    expect(measures.tpr).toBeCloseTo(80 / 170, 12)
    expect(measures.tnr).toBeCloseTo(810 / 830, 12)
    // By the logit interval of Begg and Greenes 0.277 to 0.674.
    expect(measures.tprCi?.[0]).toBeGreaterThan(0.25)
    expect(measures.tprCi?.[1]).toBeLessThan(0.75)
  })

  it('is not trustworthy with many rows of one verdict and thin samples of the other', () => {
    const rows = [
      ...confusionRows({ tp: 200, fn: 0, fp: 0, tn: 0 }, 1),
      ...confusionRows({ tp: 0, fn: 0, fp: 0, tn: 50 }, 1 / 50),
    ]
    const measures = measureJudge(rows)
    expect([measures.tpr, measures.trust]).toEqual([1, 'under-measured'])
    expect(measures.effectiveNFail).toBeLessThan(20)
  })

  it('is rarely rated above its true TPR when rows were chosen by verdict', () => {
    const random = seededRandom(7)
    const trueTpr = 0.7
    const runs = 100
    const results = Array.from({ length: runs }, () => measureJudge(byVerdict(random, trueTpr)))
    const tooHigh = results.filter(({ tprCi }) => tprCi !== null && tprCi[0] > trueTpr).length
    expect(tooHigh / runs).toBeLessThan(0.05)
    expect(results.filter(({ trust }) => trust === 'trustworthy')).toEqual([])
  })
})

/** Traffic of 4000 rows with 5 % true fails, of which 60 of each verdict are graded. */
function byVerdict(random: () => number, tpr: number): MeasuredRow[] {
  const traffic = Array.from({ length: 4_000 }, () => {
    const human = random() < 0.05 ? ('fail' as const) : ('pass' as const)
    const isRight = random() < (human === 'fail' ? tpr : 0.97)
    const other = human === 'fail' ? ('pass' as const) : ('fail' as const)
    return { human, verdict: isRight ? human : other }
  })
  return (['fail', 'pass'] as const).flatMap((verdict) => {
    const stratum = traffic.filter((row) => row.verdict === verdict)
    return stratum
      .slice(0, 60)
      .map((row) => ({ ...row, samplingProbability: Math.min(60, stratum.length) / stratum.length }))
  })
}

describe('the measures of any rows', () => {
  const verdict = fc.constantFrom('pass' as const, 'fail' as const)
  const row = fc.record({ human: verdict, verdict, samplingProbability: fc.constantFrom(1, 1 / 2, 1 / 7.5, 1 / 100) })

  it('count each row in one cell, and stay within their bounds', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 60 }), (rows) => {
        const { confusion, tpr, tnr, tprCi, tnrCi, effectiveNFail, effectiveNPass } = measureJudge(rows)
        const { tp, fn, fp, tn } = confusion
        expect(tp + fn + fp + tn).toBe(rows.length)
        expect(effectiveNFail).toBeLessThanOrEqual(tp + fn + 1e-9)
        expect(effectiveNPass).toBeLessThanOrEqual(fp + tn + 1e-9)
        for (const [rate, bounds] of [
          [tpr, tprCi],
          [tnr, tnrCi],
        ] as const) {
          expect(rate === null).toBe(bounds === null)
          if (rate === null || bounds === null) continue
          expect(0 <= bounds[0] && bounds[0] <= rate + 1e-12 && rate <= bounds[1] + 1e-12 && bounds[1] <= 1).toBe(true)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('are mirrored when all verdicts are inverted', () => {
    const rounded = (rate: number | null) => rate?.toFixed(9)
    const other = { pass: 'fail', fail: 'pass' } as const
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), (rows) => {
        const turned = rows.map((each) => ({ ...each, human: other[each.human], verdict: other[each.verdict] }))
        const [here, there] = [measureJudge(rows), measureJudge(turned)]
        expect([rounded(there.tpr), rounded(there.tnr)]).toEqual([rounded(here.tnr), rounded(here.tpr)])
        expect(there.trust).toBe(here.trust)
      }),
      { numRuns: 30 },
    )
  })
})
