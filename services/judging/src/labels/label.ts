import type { Verdict } from '@ratchet/contracts/criteria'
import type { Label as LabelReply } from '@ratchet/contracts/labels'
import type { FrozenExchange } from './freeze-exchange.ts'

interface Grade {
  readonly id: string
  readonly workspaceId: string
  /** Null for a grade of the exchange as a whole. */
  readonly criterionId: string | null
  readonly unit: LabelReply['unit']
  readonly logId: string | null
  readonly traceId: string | null
  /** Identifies the graded item: the UUID of a log entry, or a hash for an imported item. */
  readonly itemKey: string
  readonly label: Verdict
  readonly rationale: string | null
  readonly graderId: string
  /** Grades of training are not here. */
  readonly source: Exclude<LabelReply['source'], 'audit'>
  readonly blind: boolean
  readonly externalId: string | null
  readonly tag: string | null
  readonly segment: string
  readonly sampling: LabelReply['sampling']
  readonly createdBy: string
  readonly createdAt: Date
}

export interface NewLabel extends Grade {
  readonly snapshot: FrozenExchange
}

/** A stored grade, without the graded content. */
export interface StoredLabel extends Grade {
  readonly snapshotId: string
  /** Id of the grade that superseded it; null while it is in force. */
  readonly supersededBy: string | null
}

/** One grade is in force for each key; a later one supersedes it. */
export type GradeKey = Pick<Grade, 'criterionId' | 'itemKey' | 'graderId'>

/** A unique text for each key. */
export function gradeKeyText({ criterionId, itemKey, graderId }: GradeKey): string {
  return JSON.stringify([criterionId ?? '', itemKey, graderId])
}
