import type { GuardCheck } from '@ratchet/contracts/alias-gate'
import type { GateGuard } from '@ratchet/contracts/aliases'
import { asymptoticConfidenceSequence } from '@ratchet/stats/asymptotic-confidence-sequence'
import type { Interval } from '@ratchet/stats/interval'
import { type ArmTraffic, answersOf, endedOf } from './arm-counts.ts'
import { compareShares, minForAsymptotics } from './compare-arms.ts'
import { latencyQuantile } from './latency-quantile.ts'

export interface GuardQuestion {
  readonly guard: GateGuard
  readonly canary: ArmTraffic
  readonly target: ArmTraffic
  /** Chance that a confidence sequence ever misses the true value. */
  readonly alpha: number
}

/** Checks errors, latency and cost. A limit is breached when the whole confidence sequence lies above it. */
export function checkGuard(question: GuardQuestion): readonly GuardCheck[] {
  const { max_error_rate_increase, max_latency_ratio, max_cost_ratio } = question.guard
  const checks = [
    check('error_rate_increase', max_error_rate_increase, () => errorIncrease(question)),
    check('latency_ratio', max_latency_ratio, () => latencyRatio(question)),
    check('cost_ratio', max_cost_ratio, () => costRatio(question)),
  ]
  return checks.filter((each) => each !== null)
}

interface Measured {
  readonly estimate: number
  /** Null with too few answers. */
  readonly sequence: OpenInterval | null
}

interface OpenInterval {
  readonly low: number
  /** Null without an upper bound. */
  readonly high: number | null
}

function check(name: GuardCheck['name'], limit: number | null, measure: () => Measured | null): GuardCheck | null {
  if (limit === null) return null
  const measured = measure()
  const sequence = measured?.sequence ?? null
  return {
    name,
    limit,
    estimate: measured?.estimate ?? null,
    cs: sequence === null ? null : [sequence.low, sequence.high],
    breached: sequence !== null && sequence.low > limit,
  }
}

function errorIncrease({ canary, target, alpha }: GuardQuestion): Measured | null {
  const shareOf = (arm: ArmTraffic) => ({ having: arm.errors, of: endedOf(arm) })
  const found = compareShares(shareOf(canary), shareOf(target), alpha)
  return found === null ? null : { estimate: found.difference, sequence: found.interval }
}

const p95 = 0.95

/** Each quantile gets half of alpha, so both sequences together miss with at most alpha. */
function latencyRatio({ canary, target, alpha }: GuardQuestion): Measured | null {
  const first = latencyQuantile(canary.latencies, { quantile: p95, alpha: alpha / 2 })
  const second = latencyQuantile(target.latencies, { quantile: p95, alpha: alpha / 2 })
  if (first === null || second === null) return null
  const estimate = first.estimateMs / second.estimateMs
  if (second.highMs === null) return { estimate, sequence: null }
  const high = first.highMs === null || second.lowMs === 0 ? null : first.highMs / second.lowMs
  return { estimate, sequence: { low: first.lowMs / second.highMs, high } }
}

function costRatio({ canary, target, alpha }: GuardQuestion): Measured | null {
  const unit = target.costUsd / Math.max(1, answersOf(target))
  if (unit <= 0 || answersOf(canary) === 0) return null
  const estimate = canary.costUsd / answersOf(canary) / unit
  const [first, second] = [meanCost(canary, { unit, alpha }), meanCost(target, { unit, alpha })]
  if (first === null || second === null || second.low <= 0) return { estimate, sequence: null }
  return { estimate, sequence: { low: Math.max(0, first.low) / second.high, high: first.high / second.low } }
}

/** The average cost of an answer as a multiple of `unit`, because the sequence works best for values near 1. */
function meanCost(
  arm: ArmTraffic,
  { unit, alpha }: { readonly unit: number; readonly alpha: number },
): Interval | null {
  const n = answersOf(arm)
  if (n < minForAsymptotics) return null
  const mean = arm.costUsd / n / unit
  const variance = Math.max(0, arm.costUsdSquared / n / unit ** 2 - mean ** 2)
  return asymptoticConfidenceSequence({ mean, variance, n }, { alpha: alpha / 2 })
}
