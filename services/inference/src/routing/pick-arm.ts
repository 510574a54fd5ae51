import { createHash } from 'node:crypto'
import type { AliasRoute, Arm } from '../workspace-settings/alias-route.ts'

export interface SplitRequest {
  readonly requestId: string
  /** Null when the request names no trace. */
  readonly traceId: string | null
}

/**
 * The arm that a request falls to: for ever the same one by its id, or its trace's where traces stay together. Raising
 * the share leaves with the canary whatever it had.
 */
export function pickArm(route: AliasRoute, { requestId, traceId }: SplitRequest): Arm {
  const { id, canaryModel, canaryPercent, stickyBy } = route
  if (canaryModel === null || canaryPercent <= 0) return 'target'
  if (canaryPercent >= 100) return 'canary'
  const keptTogether = stickyBy === 'trace' ? (traceId ?? requestId) : requestId
  return unitOf(id, keptTogether) < canaryPercent / 100 ? 'canary' : 'target'
}

/** The model that answers for an arm. */
export function modelOfArm({ targetModel, canaryModel }: AliasRoute, arm: Arm): string {
  return arm === 'canary' ? (canaryModel ?? targetModel) : targetModel
}

const bytes = 6

/** In [0, 1), evenly spread. Its first word keeps it independent of other draws by the same ids, such as judges'. */
function unitOf(aliasId: string, id: string): number {
  const digest = createHash('sha256').update(`arm:${aliasId}:${id}`).digest()
  return digest.readUIntBE(0, bytes) / 256 ** bytes
}
