import type { Identity } from '@ratchet/contracts/identity'
import type { GradeItem } from '@ratchet/contracts/labels'
import type { LogEntry } from '@ratchet/contracts/logs'
import { redactOptional } from '@ratchet/redaction/redact-identifier'
import { freezeExchange } from './freeze-exchange.ts'
import type { NewLabel } from './label.ts'
import { picked, pickedMethod } from './picked.ts'
import { verdictOf } from './verdict-of.ts'

export interface EntryGrade {
  readonly item: GradeItem
  readonly entry: LogEntry
  /** UUID. */
  readonly logId: string
  readonly criterionId: string | null
  readonly id: string
  readonly identity: Pick<Identity, 'workspaceId' | 'userId'>
  readonly at: Date
}

/** The grade of a log entry, which was redacted when it was stored. */
export function labelOfEntry({ item, entry, logId, criterionId, id, identity, at }: EntryGrade): NewLabel {
  const { workspaceId, userId } = identity
  return {
    id,
    workspaceId,
    criterionId,
    logId,
    unit: 'request',
    traceId: entry.trace_id,
    itemKey: logId,
    label: verdictOf(item),
    rationale: item.rationale ?? null,
    graderId: redactOptional(item.grader) ?? userId,
    source: 'api',
    blind: item.blind ?? false,
    externalId: null,
    tag: entry.tag,
    segment: entry.segment,
    sampling: samplingOf(item),
    createdBy: userId,
    createdAt: at,
    snapshot: freezeExchange(entry),
  }
}

/** Without a statement the item counts as picked: people tend to grade what caught their eye. */
export function samplingOf({ sampling }: Pick<GradeItem, 'sampling'>): NewLabel['sampling'] {
  if (sampling === undefined || sampling === null || sampling.method === pickedMethod) return picked
  return { method: sampling.method, probability: sampling.probability, stratum: sampling.stratum ?? null }
}
