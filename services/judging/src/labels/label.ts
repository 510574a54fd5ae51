import type { Verdict } from '@ratchet/contracts/criteria'
import type { Label as LabelReply } from '@ratchet/contracts/labels'
import type { FrozenExchange } from './freeze-exchange.ts'

/** What every grade says, stored or not. */
interface Grade {
  readonly id: string
  readonly workspaceId: string
  /** Null for a grade of the exchange as a whole. */
  readonly criterionId: string | null
  readonly unit: LabelReply['unit']
  readonly logId: string | null
  readonly traceId: string | null
  /** What is graded: the UUID of a log entry, or a hash of what was imported. */
  readonly itemKey: string
  readonly label: Verdict
  readonly rationale: string | null
  readonly graderId: string
  readonly source: LabelReply['source']
  readonly blind: boolean
  readonly externalId: string | null
  readonly tag: string | null
  readonly segment: string
  readonly sampling: LabelReply['sampling']
  readonly createdBy: string
  readonly createdAt: Date
}

/** A grade that was just given, with what was graded. */
export interface NewLabel extends Grade {
  readonly snapshot: FrozenExchange
}

/** A grade as it is kept, without the content of what was graded. */
export interface StoredLabel extends Grade {
  readonly snapshotId: string
  /** The id of the grade that took its place; null while it is in force. */
  readonly supersededBy: string | null
}

/** What makes grades replace each other: one is in force for each. */
export type GradeKey = Pick<Grade, 'criterionId' | 'itemKey' | 'graderId'>

/** A text of its own for each key. */
export function gradeKeyText({ criterionId, itemKey, graderId }: GradeKey): string {
  return JSON.stringify([criterionId ?? '', itemKey, graderId])
}
