import { requireAmount, requireCount, requireFinite, requireInnerRate } from './require-arguments.ts'

/** The values of one arm of an experiment; in any unit. */
export interface ArmMoments {
  readonly mean: number
  readonly variance: number
  readonly n: number
}

/**
 * Whether the leading arm may be declared the best: compares the generalised likelihood ratio of leader and challenger with
 * the threshold ln((1 + ln t)/δ), where t is the number of all values.
 *
 * @param delta probability of declaring a wrong arm, between 0 and 1; 0.05 when absent
 * @returns null when an arm has no values or neither varies; `stop` only when the leader leads
 * @throws RangeError when an argument is out of range
 * @see Garivier & Kaufmann 2016, arXiv:1602.04589
 */
export function bestArmStopping(
  { leader, challenger }: { readonly leader: ArmMoments; readonly challenger: ArmMoments },
  delta = 0.05,
): { readonly likelihoodRatio: number; readonly threshold: number; readonly stop: boolean } | null {
  requireArm('leader', leader)
  requireArm('challenger', challenger)
  requireInnerRate('delta', delta)
  if (leader.n === 0 || challenger.n === 0) return null
  const spread = leader.variance / leader.n + challenger.variance / challenger.n
  if (spread === 0) return null
  const lead = leader.mean - challenger.mean
  const likelihoodRatio = lead ** 2 / (2 * spread)
  const threshold = Math.log((1 + Math.log(leader.n + challenger.n)) / delta)
  return { likelihoodRatio, threshold, stop: lead > 0 && likelihoodRatio > threshold }
}

function requireArm(name: string, { mean, variance, n }: ArmMoments): void {
  requireFinite(`${name}.mean`, mean)
  requireAmount(`${name}.variance`, variance)
  requireCount(`${name}.n`, n)
}
