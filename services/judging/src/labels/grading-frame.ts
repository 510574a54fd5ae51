import type { Verdict } from '@ratchet/contracts/criteria'
import type { FeedbackCount } from '@ratchet/judge-kit/fleet/log-reader'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { JudgedEntry } from '../judgements/verdict-reads.ts'

/**
 * `random`: drawn from all traffic of the population. `judged`: exchanges that the judge judged, with its verdicts. `round`:
 * drawn from all traffic for a round of review, and judged for it.
 */
export type FrameKind = 'random' | 'judged' | 'round'

/** The exchanges from which people grade. The list never changes, so estimates from grades are about it. */
export interface GradingFrame {
  readonly id: string
  readonly kind: FrameKind
  readonly ordinal: number
  readonly createdAt: Date
}

export interface FrameItem {
  /** UUID of a log entry; of a run, the id that `runItemId` derives. */
  readonly logId: string
  readonly stratum: string
  /** Whether the random order of its stratum has reached it. */
  readonly isOffered: boolean
  /** The verdict of people; null without a grade, and for a tie. */
  readonly human: Verdict | null
  readonly isGraded: boolean
}

export interface StoredFrameItem extends FrameItem {
  /** Null for a log entry. */
  readonly traceId: string | null
}

/** The id under which a run is an item of frames. */
export function runItemId(workspaceId: string, traceId: string): string {
  return deterministicId('frame run', workspaceId, traceId)
}

/** No id of a log entry and no hash of an import has a space. */
export const runKeyPrefix = 'trace '

/** The key of the grades of a run. */
export function runItemKey(traceId: string): string {
  return `${runKeyPrefix}${traceId}`
}

/** A frame is replaced after this time, because traffic changes. */
export const maxFrameAgeMs = 30 * 24 * 3_600_000

export function frameKindOf(strategy: GradingStrategy): FrameKind {
  return strategy === 'random' ? 'random' : 'judged'
}

export const gradingStrategies = ['random', 'balanced', 'disagreement', 'plan'] as const
export type GradingStrategy = (typeof gradingStrategies)[number]

/** The only stratum of a frame without verdicts. */
export const wholeStratum = 'all'

/**
 * Strata by what is known of an exchange before it is graded. Their names begin with the judge's verdict. Those that users
 * contradict are one stratum, disputed or not, so that there are few strata.
 */
export function stratumOf(
  { verdict, isDisputed }: Pick<JudgedEntry, 'verdict' | 'isDisputed'>,
  feedback?: FeedbackCount,
): string {
  if (isContradicted(verdict, feedback)) return `judged_${verdict}${contradictedSuffix}`
  return `judged_${verdict}${isDisputed ? disputedSuffix : ''}`
}

const disputedSuffix = '_disputed'
const contradictedSuffix = '_contradicted'

/** Whether more users disagree with a verdict than agree. */
export function isContradicted(verdict: Verdict, feedback: FeedbackCount | undefined): boolean {
  if (feedback === undefined) return false
  return verdict === 'pass' ? feedback.down > feedback.up : feedback.up > feedback.down
}

/** Whether the judge gave different verdicts, or users contradict it. */
export function isDisputedStratum(stratum: string): boolean {
  return stratum.endsWith(disputedSuffix) || stratum.endsWith(contradictedSuffix)
}

/**
 * Disputed strata of one verdict share one part of what is assumed of errors before any grade. With a part each, the stratum
 * with nearly all exchanges would be assumed to hide fewer errors as soon as users send feedback.
 */
export function priorGroupOf(stratum: string): string | undefined {
  return isDisputedStratum(stratum) ? 'disputed' : undefined
}

export function judgedVerdictOf(stratum: string): Verdict | null {
  if (stratum.startsWith('judged_fail')) return 'fail'
  return stratum.startsWith('judged_pass') ? 'pass' : null
}
