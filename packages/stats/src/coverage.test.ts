import { asymptoticConfidenceSequence } from './asymptotic-confidence-sequence.ts'
import { clopperPearsonInterval } from './clopper-pearson-interval.ts'
import { clusteredMean } from './clustered-mean.ts'
import { differenceVariance } from './difference-variance.ts'
import { estimateFailRate } from './estimate-fail-rate.ts'
import type { Interval } from './interval.ts'
import { langReiczigelInterval } from './lang-reiczigel-interval.ts'
import { newcombeDifference } from './newcombe-difference.ts'
import { ppiPlusPlus } from './ppi-plus-plus.ts'
import { quantileInterval } from './quantile-interval.ts'
import { randomFromSeed } from './random-from-seed.ts'
import { savingsInterval } from './savings-interval.ts'
import { stratifiedAccuracy } from './stratified-accuracy.ts'
import type { TwoProportions } from './two-proportions.ts'
import { wilsonInterval } from './wilson-interval.ts'

type Random = () => number

/** The number of successes in the given number of trials. */
function draw(random: Random, trials: number, rate: number): number {
  let successes = 0
  for (let trial = 0; trial < trials; trial += 1) if (random() < rate) successes += 1
  return successes
}

/** Share of seeded runs whose interval contains the true value. */
function coverage(truth: number, runs: number, intervalOf: (random: Random) => Interval | null): number {
  const random = randomFromSeed('coverage')
  let held = 0
  for (let run = 0; run < runs; run += 1) {
    const interval = intervalOf(random)
    if (interval !== null && interval.low <= truth && truth <= interval.high) held += 1
  }
  return held / runs
}

/** Graded rows of a population, by the human's and the judge's verdict. */
function drawConfusion(random: Random, rows: number, judge: { failRate: number; tpr: number; tnr: number }) {
  const fails = draw(random, rows, judge.failRate)
  const tp = draw(random, fails, judge.tpr)
  const tn = draw(random, rows - fails, judge.tnr)
  return { tp, fn: fails - tp, fp: rows - fails - tn, tn }
}

function judgedRate({ failRate, tpr, tnr }: { failRate: number; tpr: number; tnr: number }): number {
  return failRate * tpr + (1 - failRate) * (1 - tnr)
}

describe('95 % intervals contain the true value in about 95 % of seeded runs', () => {
  it.each([
    [0.5, 30],
    [0.9, 50],
    [0.95, 100],
  ])('wilsonInterval and clopperPearsonInterval at rate %d and n %i', (rate, n) => {
    const exact = Array.from({ length: n + 1 }, (_, k) => clopperPearsonInterval(k, n))
    expect(coverage(rate, 4000, (random) => wilsonInterval(draw(random, n, rate), n))).toBeGreaterThan(0.93)
    expect(coverage(rate, 4000, (random) => exact[draw(random, n, rate)] ?? null)).toBeGreaterThan(0.945)
  })

  it.each([
    [0.15, 0.92, 0.95],
    [0.03, 0.9, 0.9],
    [0.5, 0.8, 0.85],
  ])('langReiczigelInterval at fail rate %d, TPR %d, TNR %d, calibrated on other traffic', (failRate, tpr, tnr) => {
    const held = coverage(failRate, 2000, (random) =>
      langReiczigelInterval({
        judgedFails: draw(random, 400, judgedRate({ failRate, tpr, tnr })),
        judged: 400,
        truePositives: draw(random, 50, tpr),
        humanFails: 50,
        trueNegatives: draw(random, 100, tnr),
        humanPasses: 100,
      }),
    )
    expect(held).toBeGreaterThan(0.935)
  })

  it.each([
    { failRate: 0.25, tpr: 0.9, tnr: 0.9 },
    { failRate: 0.1, tpr: 0.8, tnr: 0.9 },
    { failRate: 0.03, tpr: 0.95, tnr: 0.98 },
  ])('the first of estimateFailRate at $failRate, $tpr, $tnr', (judge) => {
    const held = coverage(judge.failRate, 1500, (random) => {
      const graded = drawConfusion(random, 200, judge)
      const judgedFails = draw(random, 1000, judgedRate(judge))
      return estimateFailRate({ judgedFails, judged: 1000, graded })[0]?.interval ?? null
    })
    expect(held).toBeGreaterThan(0.925)
  })

  it('newcombeDifference', () => {
    const held = coverage(-0.08, 2000, (random) => {
      const groups = {
        successes1: draw(random, 80, 0.82),
        trials1: 80,
        successes2: draw(random, 120, 0.9),
        trials2: 120,
      }
      return newcombeDifference(groups)?.interval ?? null
    })
    expect(held).toBeGreaterThan(0.935)
  })

  it('quantileInterval, for p95 of a skewed distribution', () => {
    const held = coverage(-Math.log(0.05), 500, (random) => {
      const latencies = Array.from({ length: 200 }, () => -Math.log(1 - random()))
      return quantileInterval(latencies, { quantile: 0.95 })
    })
    expect(held).toBeGreaterThan(0.94)
  })

  it('stratifiedAccuracy, where rows judged FAIL are over-drawn', () => {
    const [inFail, inPass, failRows, passRows] = [0.75, 0.06, 100, 900]
    const truth = (inFail * failRows) / (inFail * failRows + inPass * passRows)
    const stratified = coverage(truth, 2000, (random) => {
      const judgedFail = { rows: failRows, graded: 50, humanFails: draw(random, 50, inFail) }
      const judgedPass = { rows: passRows, graded: 90, humanFails: draw(random, 90, inPass) }
      return stratifiedAccuracy({ judgedFail, judgedPass }).tpr?.interval ?? null
    })
    expect(stratified).toBeGreaterThan(0.93)
  })

  it('clusteredMean, where an error that ignores the clusters covers far too rarely', () => {
    const around = (mean: number, error: number) => ({ low: mean - 1.96 * error, high: mean + 1.96 * error })
    const held = (errorOf: 'standardError' | 'independentStandardError') =>
      coverage(0.6, 400, (random) => {
        const runs = Array.from({ length: 50 }, () => {
          const rate = random() < 0.5 ? 0.95 : 0.25
          return Array.from({ length: 6 }, () => Number(random() < rate))
        })
        const estimate = clusteredMean(runs)!
        return around(estimate.mean, estimate[errorOf])
      })
    expect(held('standardError')).toBeGreaterThan(0.92)
    expect(held('independentStandardError')).toBeLessThan(0.85)
  })

  it('savingsInterval, for prompts of very different costs', () => {
    const held = coverage(0.4, 200, (random) => {
      const pairs = Array.from({ length: 50 }, () => {
        const baseline = Math.exp(2 * random())
        return { baseline, candidate: baseline * (0.2 + 0.8 * random()) }
      })
      return savingsInterval(pairs, { random, resamples: 200 })
    })
    expect(held).toBeGreaterThan(0.9)
  })
})

describe('a judge exactly at the bar, graded by verdict', () => {
  /** Share of seeded runs in which the TPR is proven to reach 0.9, which it does not exceed. */
  function falselyProven(intervalOf: (foundOf50: number, missedOf50: number) => Interval | null | undefined): number {
    const random = randomFromSeed('at the bar')
    const runs = Array.from({ length: 1000 }, () => intervalOf(draw(random, 50, 0.81), draw(random, 50, 0.01)))
    return runs.filter((interval) => (interval?.low ?? 0) >= 0.9).length / 1000
  }

  it('is not proven by stratifiedAccuracy, nor by Wilson at its effective trials', () => {
    const tprOf = (found: number, missed: number) => {
      const judgedFail = { rows: 100, graded: 50, humanFails: found }
      return stratifiedAccuracy({ judgedFail, judgedPass: { rows: 900, graded: 50, humanFails: missed } }).tpr
    }
    expect(falselyProven((found, missed) => tprOf(found, missed)?.interval)).toBeLessThan(0.025)
    const atEffectiveTrials = (found: number, missed: number) => {
      const tpr = tprOf(found, missed)
      return tpr === null ? null : wilsonInterval(tpr.effectiveSuccesses, tpr.effectiveTrials)
    }
    expect(falselyProven(atEffectiveTrials)).toBeLessThan(0.025)
  })
})

describe('plain PPI++ for few mistakes', () => {
  it('covers too rarely, so estimateFailRate takes another interval', () => {
    const judge = { failRate: 0.03, tpr: 0.95, tnr: 0.98 }
    const held = coverage(judge.failRate, 1000, (random) => {
      const judgedFails = draw(random, 1000, judgedRate(judge))
      return ppiPlusPlus({ graded: drawConfusion(random, 50, judge), judgedFails, judged: 1000 })?.interval ?? null
    })
    expect(held).toBeLessThan(0.7)
  })
})

describe('a canary with the quality of its target, evaluated every 25 verdicts', () => {
  /** Share of seeded runs in which the interval is below zero at any interim look from 50 verdicts per arm on. */
  function falseRollbacks(intervalOf: (arms: TwoProportions) => Interval): number {
    const random = randomFromSeed('canary')
    let rolledBack = 0
    for (let run = 0; run < 400; run += 1) {
      const arms = { successes1: 0, trials1: 0, successes2: 0, trials2: 0 }
      let breached = false
      while (arms.trials1 < 1000 && !breached) {
        arms.successes1 += draw(random, 25, 0.9)
        arms.successes2 += draw(random, 25, 0.9)
        arms.trials1 += 25
        arms.trials2 += 25
        breached = arms.trials1 >= 50 && intervalOf(arms).high < 0
      }
      if (breached) rolledBack += 1
    }
    return rolledBack / 400
  }

  it('is rarely rolled back by an asymptotic confidence sequence', () => {
    const sequenceOf = ({ successes1, trials1, successes2, trials2 }: TwoProportions) => {
      const [rate1, rate2, n] = [successes1 / trials1, successes2 / trials2, trials1 + trials2]
      const variance = differenceVariance({ rate1, rate2, share1: trials1 / n })
      return asymptoticConfidenceSequence({ mean: rate1 - rate2, variance, n })
    }
    expect(falseRollbacks(sequenceOf)).toBeLessThan(0.025)
  })

  it('is rolled back one time in eight by an interval for a single analysis', () => {
    expect(falseRollbacks((arms) => newcombeDifference(arms)!.interval)).toBeGreaterThan(0.08)
  })
})
