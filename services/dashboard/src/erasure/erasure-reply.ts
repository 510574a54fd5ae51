import { erasureCounts, type PersonErasure } from '@ratchet/contracts/dashboard/erasures'
import { type ErasingService, passes } from '@ratchet/contracts/erasure-passes'
import type { ErasurePart, ShownErasure } from './shown-erasure.ts'

/** Versions of models that were trained with something of the person. */
export function versionsOf(parts: readonly ErasurePart[]): string[] {
  const names = parts.flatMap(({ kept }) => (kept as { model_versions?: readonly string[] }).model_versions ?? [])
  return [...new Set(names)].toSorted()
}

export function erasureReply(erasure: ShownErasure): PersonErasure {
  const { parts } = erasure
  return {
    id: erasure.id,
    kind: 'end_user',
    person: erasure.person,
    state: erasure.state as PersonErasure['state'],
    requested_by: erasure.requestedBy,
    requested_at: erasure.requestedAt.toISOString(),
    confirmed_at: erasure.confirmedAt?.toISOString() ?? null,
    ended_at: erasure.endedAt?.toISOString() ?? null,
    progress: progressOf(erasure),
    waits: parts.flatMap(({ service, waitsFor }) =>
      waitsFor === null ? [] : [{ service: service as ErasingService, reason: waitsFor }],
    ),
    found: erasureCounts(parts, 'found'),
    erased: erasureCounts(parts, 'erased'),
    model_versions: versionsOf(parts),
    receipt: erasure.receipt,
    receipt_sha256: erasure.receiptSha256,
  }
}

/** Each service counts in each pass, since the last decision of a person. */
function progressOf({ state, parts }: ShownErasure): PersonErasure['progress'] {
  const isFinding = state === 'finding' || state === 'found'
  const [from, to] = isFinding ? [0, passes.lastFinding] : [passes.lastFinding, passes.last]
  const done = parts.reduce((sum, { pass }) => sum + Math.max(0, Math.min(pass, to) - from), 0)
  return { done, of: parts.length * (to - from) }
}
