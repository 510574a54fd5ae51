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
  readonly scored: number
  readonly fails: number
  /** Chosen answers without a verdict yet. */
  readonly open: number
  /** Chosen answers that could not be judged. */
  readonly unjudged: number
  /** Chosen answers that were left out, because an earlier turn may be of the other arm. */
  readonly mixed: number
}

/** Grades of people for answers that have a verdict. */
export interface ArmGrades {
  readonly graded: number
  /** Graded answers whose grade equals the verdict. */
  readonly agreed: number
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
export const noScores: ArmScores = { scored: 0, fails: 0, open: 0, unjudged: 0, mixed: 0 }
export const noGrades: ArmGrades = { graded: 0, agreed: 0 }

/** Requests that ended with an answer or an error, without running ones and those whose client disconnected. */
export function endedOf(arm: Pick<ArmTraffic, 'errors' | 'latencies'>): number {
  return arm.errors + answersOf(arm)
}

/** Number of complete answers of the arm's own model. */
export function answersOf({ latencies }: Pick<ArmTraffic, 'latencies'>): number {
  return [...latencies.values()].reduce((sum, count) => sum + count, 0)
}
