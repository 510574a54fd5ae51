import type { Arm } from '@ratchet/contracts/internal-alias'

/** Answers by the bucket of their latency. */
export type LatencyCounts = ReadonlyMap<number, number>

/** What came by on an arm since its epoch began. */
export interface ArmTraffic {
  /** Requests that fell to it. */
  readonly assigned: number
  /** Those that its model was asked. */
  readonly served: number
  /** Those of them that failed, or that another model answered. */
  readonly errors: number
  /** Of whole answers, US dollars. */
  readonly costUsd: number
  /** Sum of squares. */
  readonly costUsdSquared: number
  readonly latencies: LatencyCounts
}

/** What the judge said of an arm. */
export interface ArmScores {
  readonly scored: number
  readonly fails: number
  /** Answers that are still to be looked at. */
  readonly open: number
  /** Answers that were chosen and could not be judged. */
  readonly unjudged: number
  /** Answers that were left out, since an earlier turn may be of the other arm. */
  readonly mixed: number
}

/** What people say of answers that the judge has scored. */
export interface ArmGrades {
  readonly graded: number
  /** Those in which they and the judge agree. */
  readonly agreed: number
}

export interface ArmCounts extends ArmTraffic, ArmScores, ArmGrades {
  readonly model: string
}

export type CountsByArm = Readonly<Record<Arm, ArmCounts>>

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

/** Requests that ended with an answer or a failure: neither those under way nor those whose client left. */
export function endedOf(arm: Pick<ArmTraffic, 'errors' | 'latencies'>): number {
  return arm.errors + answersOf(arm)
}

/** Whole answers of the arm's own model. */
export function answersOf({ latencies }: Pick<ArmTraffic, 'latencies'>): number {
  return [...latencies.values()].reduce((sum, count) => sum + count, 0)
}
