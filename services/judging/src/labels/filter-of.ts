import type { LabelFilters } from '@ratchet/contracts/labels'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { LabelFilter } from './label-store.ts'

/** What a caller asks for; null where an id is none that anything could have. */
export function filterOf(query: LabelFilters, workspaceId: string): LabelFilter | null {
  const criterionId = query.criterion_id === undefined ? undefined : uuidOf('criterion', query.criterion_id)
  const logId = query.log_id === undefined ? undefined : uuidOf('log', query.log_id)
  if (criterionId === null || logId === null) return null
  return {
    workspaceId,
    criterionId,
    logId,
    label: query.label,
    graderId: query.grader_id,
    source: query.source,
    start: query.start,
    end: query.end,
    includesSuperseded: query.include_superseded ?? false,
  }
}
