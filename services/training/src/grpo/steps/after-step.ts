import { mean } from '../rewards/group-advantages.ts'
import type { FinishReason } from '../runs/run.ts'
import type { RunSettings } from '../runs/run-settings.ts'

/** A step that was trained. */
export interface TrainedStep {
  readonly step: number
  readonly rewardMean: number
  /** Its tokens at their prices, and its judges, nano-dollars. */
  readonly costNano: bigint
  readonly judgeCostNano: bigint
  readonly logprobGapMean: number | null
  /** Lowest of its answers: the step whose policy was sampled. */
  readonly adapterVersion: number
}

export interface RunMoney {
  /** Cost of all steps and looks until now, also of those that no checkpoint contains yet; and its maximum. */
  readonly costNano: bigint
  readonly capNano: bigint
  readonly judgeCostNano: bigint
  readonly judgingCapNano: bigint
  /** Judges of the most expensive look until now. */
  readonly lookCostNano: bigint
}

/** Steps by which the cost of the next one is foreseen. */
const recentSteps = 10
/** Steps in a row after which a policy that does not match its trainer pauses the run. */
const mismatchedSteps = 3
/** Greatest mean |Δ| of logprobs between trainer and engine. Between numeric formats it is up to 0.03. */
const maxLogprobGap = 0.1

/**
 * Why a run ends with its last step before the planned one; null: it goes on. It ends while its maximum surely covers the next
 * step, so that no step is trained that nobody pays.
 *
 * @param steps those that were trained, ascending
 */
export function finishReasonAfter(
  { plateau }: Pick<RunSettings, 'plateau'>,
  steps: readonly TrainedStep[],
  money: RunMoney,
): FinishReason | null {
  const recent = steps.slice(-recentSteps)
  const next = withRoom(maxOf(recent.map(({ costNano }) => costNano)))
  if (money.costNano + next > money.capNano) return 'max_cost'
  const judged = withRoom(maxOf(recent.map(({ judgeCostNano }) => judgeCostNano))) + money.lookCostNano
  if (judged > 0n && money.judgeCostNano + judged > money.judgingCapNano) return 'max_cost'
  if (plateau === null || steps.length < 2 * plateau.steps) return null
  const means = steps.map(({ rewardMean }) => rewardMean)
  const gain = mean(means.slice(-plateau.steps)) - mean(means.slice(-2 * plateau.steps, -plateau.steps))
  return gain < plateau.minGain ? 'plateau' : null
}

/** Whether the engine samples another policy than the one that is trained, three steps running. */
export function isMismatched(steps: readonly TrainedStep[]): boolean {
  const last = steps.slice(-mismatchedSteps)
  return last.length === mismatchedSteps && last.every(isMismatch)
}

function isMismatch({ step, adapterVersion, logprobGapMean }: TrainedStep): boolean {
  return adapterVersion < step - 1 || (logprobGapMean !== null && logprobGapMean > maxLogprobGap)
}

function withRoom(nano: bigint): bigint {
  return (nano * 3n) / 2n
}

function maxOf(values: readonly bigint[]): bigint {
  let most = 0n
  for (const value of values) if (value > most) most = value
  return most
}
