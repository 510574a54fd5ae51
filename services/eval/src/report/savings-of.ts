import type { CandidateReport } from '@ratchet/contracts/eval-report'
import { type CostPair, costSavings } from '@ratchet/stats/cost-savings'
import { randomFromSeed } from '@ratchet/stats/random-from-seed'
import { savingsInterval } from '@ratchet/stats/savings-interval'
import { isAnsweredTwice, type PairedSample } from './paired-sample.ts'

type Savings = Pick<CandidateReport, 'savingsPct' | 'savings_pct' | 'savings_ci'>

/**
 * What a candidate saves of what the baseline was billed, where both answered and both costs are known. The interval is drawn from clusters,
 * which are the units that are independent.
 *
 * @param seed makes the interval repeatable
 */
export function savingsOf(samples: readonly PairedSample[], seed: string): Savings {
  const priced = samples.filter((sample) => isAnsweredTwice(sample) && sample.baseline.costNano !== null)
  const clusters = Map.groupBy(priced, ({ cluster }) => cluster)
  const pairs = [...clusters.values()].map(costsOf)
  const savings = costSavings(pairs)
  const interval = savingsInterval(pairs, { random: randomFromSeed(seed) })
  const savingsPct = savings === null ? null : percentOf(savings.savings)
  return {
    savingsPct,
    savings_pct: savingsPct,
    savings_ci: interval === null ? null : [percentOf(interval.low), percentOf(interval.high)],
  }
}

/** Nano-dollars. */
function costsOf(samples: readonly PairedSample[]): CostPair {
  const sum = (model: 'baseline' | 'candidate') =>
    Number(samples.reduce((total, sample) => total + (sample[model].costNano ?? 0n), 0n))
  return { baseline: sum('baseline'), candidate: sum('candidate') }
}

/** Without the noise of fractions: who saves 32 % passes a gate of 32 %. */
function percentOf(share: number): number {
  return Number((share * 100).toFixed(9)) + 0
}
