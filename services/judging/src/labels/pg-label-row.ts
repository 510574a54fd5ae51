import type { Row } from '@ratchet/db/row'
import type { NewLabel, StoredLabel } from './label.ts'

export type LabelRow = Row<'label'>

export function labelOf(row: LabelRow): StoredLabel {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    criterionId: row.criterion_id,
    unit: row.unit,
    logId: row.log_id,
    traceId: row.trace_id,
    itemKey: row.item_key,
    label: row.label,
    rationale: row.rationale,
    graderId: row.grader_id,
    source: row.source,
    blind: row.blind,
    externalId: row.external_id,
    snapshotId: row.snapshot_id,
    tag: row.tag,
    segment: row.segment,
    sampling: samplingOf(row),
    supersededBy: row.superseded_by,
    createdBy: row.created_by,
    createdAt: row.created_at,
  }
}

function samplingOf(row: LabelRow): StoredLabel['sampling'] {
  const { sampling_method: method, sampling_probability: probability, sampling_stratum: stratum } = row
  return method === null ? null : { method, probability, stratum }
}

export interface RowPlace {
  readonly snapshotId: string
  /** Null for a grade in force. */
  readonly supersededBy: string | null
}

export function rowOf(label: NewLabel, { snapshotId, supersededBy }: RowPlace): LabelRow {
  return {
    id: label.id,
    workspace_id: label.workspaceId,
    criterion_id: label.criterionId,
    unit: label.unit,
    log_id: label.logId,
    trace_id: label.traceId,
    item_key: label.itemKey,
    label: label.label,
    rationale: label.rationale,
    grader_id: label.graderId,
    source: label.source,
    blind: label.blind,
    external_id: label.externalId,
    snapshot_id: snapshotId,
    tag: label.tag,
    segment: label.segment,
    sampling_method: label.sampling?.method ?? null,
    sampling_probability: label.sampling?.probability ?? null,
    sampling_stratum: label.sampling?.stratum ?? null,
    superseded_by: supersededBy,
    created_by: label.createdBy,
    created_at: label.createdAt,
  }
}
