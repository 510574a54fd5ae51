import type { LabelSnapshot } from './label-store.ts'

/** A row of `label_snapshot`. */
export interface SnapshotRow {
  readonly id: string
  readonly sha256: string
  readonly model: string | null
  /** JSON texts. */
  readonly messages: string
  readonly response: string
  readonly tools: string | null
}

export const snapshotColumns = 'id, sha256, model, messages, response, tools'

export function snapshotOf({ sha256, model, messages, response, tools }: SnapshotRow): LabelSnapshot {
  return {
    sha256,
    model,
    messages: JSON.parse(messages),
    response: JSON.parse(response),
    tools: tools === null ? null : JSON.parse(tools),
  }
}
