import { type BarOptions, gradesNeeded, TRUST_BAR } from './grades-needed.ts'
import { type Interval, Z_95 } from './interval.ts'
import type { JudgeAccuracy } from './judged-sample.ts'
import { requireInnerRate, requirePart } from './require-arguments.ts'
import { wilsonInterval } from './wilson-interval.ts'

/** The trust that the evidence about a judge proves. */
export type Trust = 'unmeasured' | 'misaligned' | 'trustworthy' | 'borderline' | 'under-measured'

/** The state of one rate: proven at the bar, below it, too close to it for grading to decide, or not decided yet. */
export type SideState = 'proven' | 'below' | 'hugging' | 'open'

export interface TrustSide {
  /** TPR or TNR, 0..1. */
  readonly rate: number
  readonly interval: Interval
  readonly state: SideState
}

export interface TrustDecision {
  readonly trust: Trust
  /** Null without human FAIL rows. */
  readonly tpr: TrustSide | null
  /** Null without human PASS rows. */
  readonly tnr: TrustSide | null
  /** Extra grades of one class that prove the bar if the rate holds; null when proven, below the bar or hugging it. */
  readonly failGradesNeeded: number | null
  readonly passGradesNeeded: number | null
}

export interface TrustOptions extends BarOptions {
  /** If more extra grades than this are needed, the side is `hugging`; 400 when absent. */
  readonly maxExtra?: number
}

/**
 * Decides the trust in a judge by its TPR = P(judge FAIL | human FAIL) and TNR = P(judge PASS | human PASS).
 * Precedence: unmeasured, misaligned, trustworthy, borderline, under-measured. Bounds are compared unrounded.
 *
 * @throws RangeError when the counts are impossible
 * @see Wilson 1927 for the intervals
 * @example trustDecision({ truePositives: 34, humanFails: 34, trueNegatives: 35, humanPasses: 35 }).failGradesNeeded //
 *   1
 */
export function trustDecision(evidence: JudgeAccuracy, options: TrustOptions = {}): TrustDecision {
  const { truePositives, humanFails, trueNegatives, humanPasses } = evidence
  requirePart({ truePositives }, humanFails)
  requirePart({ trueNegatives }, humanPasses)
  const tpr = judgeSide(truePositives, humanFails, options)
  const tnr = judgeSide(trueNegatives, humanPasses, options)
  return {
    trust: overall(tpr, tnr),
    tpr: tpr === null ? null : { rate: tpr.rate, interval: tpr.interval, state: tpr.state },
    tnr: tnr === null ? null : { rate: tnr.rate, interval: tnr.interval, state: tnr.state },
    failGradesNeeded: tpr?.needed ?? null,
    passGradesNeeded: tnr?.needed ?? null,
  }
}

function judgeSide(successes: number, trials: number, { bar = TRUST_BAR, z = Z_95, maxExtra = 400 }: TrustOptions) {
  requireInnerRate('bar', bar)
  const interval = wilsonInterval(successes, trials, z)
  if (interval === null) return null
  const rate = successes / trials
  const { extra } = gradesNeeded(successes, trials, { bar, z })
  const state = stateOf(interval, { bar, hugs: extra === null || extra > maxExtra })
  return { rate, interval, state, needed: state === 'open' && rate > bar ? extra : null }
}

function stateOf({ low, high }: Interval, { bar, hugs }: { bar: number; hugs: boolean }): SideState {
  if (low >= bar) return 'proven'
  if (high < bar) return 'below'
  return hugs ? 'hugging' : 'open'
}

function overall(tpr: { state: SideState } | null, tnr: { state: SideState } | null): Trust {
  if (tpr === null || tnr === null) return 'unmeasured'
  const states = [tpr.state, tnr.state]
  if (states.includes('below')) return 'misaligned'
  if (states.every((state) => state === 'proven')) return 'trustworthy'
  return states.includes('hugging') ? 'borderline' : 'under-measured'
}
