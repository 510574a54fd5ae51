import type { SampleFilters } from '@ratchet/contracts/internal-logs'
import type { JudgeAccuracy } from '@ratchet/stats/judged-sample'
import type { ItemWeight } from '../calibration/graded-items.ts'
import type { Thresholds } from './decide-item.ts'

/** Judges of one question that decide one after the other; what none decides is left to people. */
export interface StoredCascade {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  /** The cheapest first. */
  readonly members: readonly CascadeMember[]
  /** Promised share of decided items on which people agree, 0.5..1. */
  readonly agreement: number
  /** Probability with which all calibrations of cascades of the workspace keep the promise together, 0.5..1. */
  readonly confidence: number
  readonly createdBy: string
  readonly createdAt: Date
}

export interface CascadeMember {
  readonly criterionId: string
  /** Number of verdicts on each item: 1, 3 or 5. */
  readonly verdicts: number
}

/** A member as it was calibrated. After a change of its instrument the calibration promises nothing. */
export interface FrozenMember extends CascadeMember {
  readonly instrument: number
}

export interface CascadeCalibrationRequest {
  readonly cascadeId: string
}

/** What a calibration found. Shares are of the traffic. */
export interface ProvenThresholds {
  readonly thresholds: Thresholds
  readonly coverage: number
  readonly agreement: number
  readonly agreementCi: readonly [number, number]
  /** Share that each judge decides. */
  readonly shares: readonly number[]
  readonly nanoPerItem: number
}

export interface CascadeCalibrationResult {
  readonly members: readonly FrozenMember[]
  readonly graded: number
  readonly leftOut: number
  /** What was offered and has no grade: it counts as decided wrongly. Absent in results of older releases. */
  readonly unanswered?: readonly ItemWeight[]
  readonly ordinal: number
  readonly errorProbability: number
  /** Null until it is done, and when nothing is proven. */
  readonly proven: ProvenThresholds | null
  /** Agreement by class on the decided items, for corrections, with unanswered ones as errors; null when nothing is proven or one class has no grade. */
  readonly accuracy: JudgeAccuracy | null
  /** The same without the unanswered items; absent when there are none. */
  readonly answered?: JudgeAccuracy
  /** Cost of one verdict of the last judge; null until it is done. */
  readonly lastNanoPerItem: number | null
}

export interface CascadeScanRequest extends CascadeCalibrationRequest {
  readonly filters: SampleFilters
  readonly sampleCount: number
}
