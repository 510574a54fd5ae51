import { createHash } from 'node:crypto'
import type { AliasRoute, Arm } from '../workspace-settings/alias-route.ts'

export interface SplitRequest {
  readonly requestId: string
  /** Null when the request names no trace. */
  readonly traceId: string | null
}

/**
 * The arm that a request is assigned to. It depends only on the id of the request, or of its trace when the alias is
 * sticky by trace. When the canary's share rises, it keeps the requests that it had.
 */
export function pickArm(route: AliasRoute, { requestId, traceId }: SplitRequest): Arm {
  const { id, canaryModel, canaryPercent, stickyBy } = route
  if (canaryModel === null || canaryPercent <= 0) return 'target'
  if (canaryPercent >= 100) return 'canary'
  const stickyId = stickyBy === 'trace' ? (traceId ?? requestId) : requestId
  return unitOf(id, stickyId) < canaryPercent / 100 ? 'canary' : 'target'
}

/** The model of an arm. */
export function modelOfArm({ targetModel, canaryModel }: AliasRoute, arm: Arm): string {
  return arm === 'canary' ? (canaryModel ?? targetModel) : targetModel
}

const bytes = 6

/**
 * A uniform value in [0, 1). The prefix makes it independent of other samples by the same ids, such as those of judges.
 */
function unitOf(aliasId: string, id: string): number {
  const digest = createHash('sha256').update(`arm:${aliasId}:${id}`).digest()
  return digest.readUIntBE(0, bytes) / 256 ** bytes
}
