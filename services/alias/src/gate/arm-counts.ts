import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { Arm } from '@ratchet/contracts/internal-alias'

/** Number of answers by latency bucket. */
export type LatencyCounts = ReadonlyMap<number, number>

/** Traffic of an arm since the start of the epoch, as inference reports it. */
export interface ArmTraffic {
  /** Requests that the split gave to the arm. */
  readonly assigned: number
  /** Requests that were sent to its model. */
  readonly served: number
  /** Served requests that failed, or that a fallback answered. */
  readonly errors: number
  /** Cost of complete answers, US dollars. */
  readonly costUsd: number
  /** Sum of the squares of these costs. */
  readonly costUsdSquared: number
  readonly latencies: LatencyCounts
}

/** Verdicts of the judge about an arm. */
export interface ArmScores {
  /** Of a judge of runs: with the unfinished ones. */
  readonly scored: number
  readonly fails: number
  /** Chosen answers without a verdict yet. */
  readonly open: number
  /** Chosen answers that could not be judged. */
  readonly unjudged: number
  /** Chosen answers that were left out, because an earlier turn may be of the other arm; runs that began before the split. */
  readonly mixed: number
  /** Runs that count as failed, because they did not end or are too long to be judged. */
  readonly unfinished: number
  /** Runs that were left out, because a model of no arm answered a step. */
  readonly assisted: number
}

/**
 * Grades of answers that were drawn at random from those with one verdict. Both numbers are effective ones, because
 * answers that were drawn with different probabilities have different weights.
 */
export interface DrawnGrades {
  readonly drawn: number
  /** Human FAIL among them. */
  readonly humanFails: number
}

/** Grades of people for answers that have a verdict. */
export interface ArmGrades {
  /** All graded answers, also those that a person picked. */
  readonly graded: number
  readonly gradedFails: DrawnGrades
  readonly gradedPasses: DrawnGrades
  /** Answers that people were offered and have not graded, although they graded later ones. */
  readonly skipped: number
  /** With the skipped ones, as failed by the canary and passed by the target; null when there are none. */
  readonly atWorst: Pick<ArmGrades, 'gradedFails' | 'gradedPasses'> | null
}

export interface ArmCounts extends ArmTraffic, ArmScores, ArmGrades {
  readonly model: string
}

export type CountsByArm = Readonly<Record<Arm, ArmCounts>>

/** Requests to the shadow model of an alias in the last thirty days. */
export interface ShadowCounts {
  readonly model: string
  readonly mirrored: number
  readonly answered: number
  /** Requests that the model refused. */
  readonly errors: number
  readonly scored: number
  readonly fails: number
  /** Sum over its answers. */
  readonly latencyMs: number
  /** Sum over its answers. */
  readonly costUsd: number
}

export const noTraffic: ArmTraffic = {
  assigned: 0,
  served: 0,
  errors: 0,
  costUsd: 0,
  costUsdSquared: 0,
  latencies: new Map(),
}
export const noScores: ArmScores = {
  scored: 0,
  fails: 0,
  open: 0,
  unjudged: 0,
  mixed: 0,
  unfinished: 0,
  assisted: 0,
}
export const noDrawnGrades: DrawnGrades = { drawn: 0, humanFails: 0 }
export const noGrades: ArmGrades = {
  graded: 0,
  gradedFails: noDrawnGrades,
  gradedPasses: noDrawnGrades,
  skipped: 0,
  atWorst: null,
}

/** Effective number of an arm's grades that were drawn at random. */
export function drawnOf({ gradedFails, gradedPasses }: ArmGrades): number {
  return gradedFails.drawn + gradedPasses.drawn
}

/** Chosen answers or runs whose outcome is known. */
export function chosenOf({ scored, unjudged, mixed, assisted }: ArmScores): number {
  return scored + unjudged + mixed + assisted
}

/** Requests that ended with an answer or an error, without running ones and those whose client disconnected. */
export function endedOf(arm: Pick<ArmTraffic, 'errors' | 'latencies'>): number {
  return arm.errors + answersOf(arm)
}

/** Number of complete answers of the arm's own model. */
export function answersOf({ latencies }: Pick<ArmTraffic, 'latencies'>): number {
  return [...latencies.values()].reduce((sum, count) => sum + count, 0)
}

/** The counts of arms without traffic. */
export function noArms({
  target_model: target,
  canary_model: canary,
}: Pick<AliasSettings, 'target_model' | 'canary_model'>): CountsByArm {
  const countsOf = (model: string): ArmCounts => ({ model, ...noTraffic, ...noScores, ...noGrades })
  return { target: countsOf(target), canary: countsOf(canary ?? target) }
}
