import { publicId } from '@ratchet/contracts/public-id'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import type { JudgingNotice } from '../notices/notice.ts'
import type { DriftFinding } from './check-drift.ts'
import type { ExaminedCriterion } from './drift-store.ts'

const type = 'criterion.drift_flagged'

/**
 * What webhooks are told of a finding: that a judge is flagged, or for something else than before; null for the rest.
 * Two sweeps that set out from the same state tell the same; a flag that was lifted in between is told anew.
 */
export function driftNotice(examined: ExaminedCriterion, finding: DriftFinding, createdAt: Date): JudgingNotice | null {
  const { id, workspaceId, name, instrument, driftSignal, driftCheckedAt } = examined
  const { signal, reason } = finding
  if (signal === null || signal === driftSignal) return null
  const before = driftCheckedAt?.toISOString() ?? ''
  return {
    id: deterministicId(type, id, String(instrument), signal, before),
    workspaceId,
    type,
    createdAt,
    data: { object: 'criterion', id: publicId('criterion', id), name, drift_signal: signal, drift_reason: reason },
  }
}
