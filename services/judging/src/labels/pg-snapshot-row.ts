import type { Row } from '@ratchet/db/row'
import type { LabelSnapshot } from './label-queries.ts'

export type SnapshotRow = Pick<Row<'labelSnapshot'>, 'id' | 'sha256' | 'model' | 'messages' | 'response' | 'tools'>

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
