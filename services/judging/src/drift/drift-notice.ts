import { publicId } from '@ratchet/contracts/public-id'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { JudgingNotice } from '../notices/notice.ts'
import type { DriftFinding } from './check-drift.ts'
import type { ExaminedCriterion } from './drift-store.ts'

const type = 'criterion.drift_flagged'

/**
 * The webhook event for a judge that becomes flagged, or flagged for another reason; null for other findings. Two sweeps
 * that read the same state make the same event; a flag that was cleared in between makes a new one.
 */
export function driftNotice(examined: ExaminedCriterion, finding: DriftFinding, createdAt: Date): JudgingNotice | null {
  const { id, workspaceId, name, instrument, driftSignal, driftCheckedAt } = examined
  const { signal, cause, reason } = finding
  if (signal === null || signal === driftSignal) return null
  const before = driftCheckedAt?.toISOString() ?? ''
  return {
    id: deterministicId(type, id, String(instrument), signal, before),
    workspaceId,
    type,
    createdAt,
    data: {
      object: 'criterion',
      id: publicId('criterion', id),
      name,
      drift_signal: signal,
      drift_cause: cause,
      drift_reason: reason,
    },
  }
}
