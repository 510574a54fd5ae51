import type { Label } from '@ratchet/contracts/labels'
import { publicId } from '@ratchet/contracts/public-id'
import type { StoredLabel } from './label.ts'
import type { LabelSnapshot } from './label-store.ts'

/** A grade as the API shows it. */
export function labelReply(label: StoredLabel, { messages, response, tools, model, sha256 }: LabelSnapshot): Label {
  return {
    object: 'label',
    id: publicId('label', label.id),
    criterion_id: label.criterionId === null ? null : publicId('criterion', label.criterionId),
    unit: label.unit,
    log_id: label.logId === null ? null : publicId('log', label.logId),
    trace_id: label.traceId,
    label: label.label,
    rationale: label.rationale,
    grader_id: label.graderId,
    grader_type: 'human',
    source: label.source,
    blind: label.blind,
    snapshot: {
      messages: [...messages],
      response,
      tools: tools === null ? null : [...tools],
      model,
      segment: label.segment,
      sha256,
    },
    sampling: label.sampling,
    superseded_by: label.supersededBy === null ? null : publicId('label', label.supersededBy),
    created_at: label.createdAt.toISOString(),
  }
}
