import type { Identity, Purpose } from '@ratchet/contracts/identity'
import type { SpendCap } from '../ledger/ledger.ts'
import type { WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'

/** A call that a process of the fleet makes for a workspace. */
export interface FleetCall {
  readonly purpose: Purpose
  /** Null where only the wallet limits it. */
  readonly cap: SpendCap | null
}

/** Milliseconds for which such a call is answered again under its key: a caller may be down for days. */
export const fleetKeepMs = 7 * 86_400_000

/** Null for a client's own request. */
export function fleetCallOf({ purpose, spendCap }: Identity): FleetCall | null {
  if (purpose === undefined) return null
  return { purpose, cap: spendCap === undefined ? null : capOf(spendCap) }
}

function capOf({ id, capNano, windowStart }: NonNullable<Identity['spendCap']>): SpendCap {
  return { id: id.toLowerCase(), capNano: BigInt(capNano), windowStart: new Date(windowStart) }
}

/**
 * The settings as they apply to such a call. What the fleet asks is nobody's traffic: it is not logged, counts against
 * no limit, and the model that was named answers it, or nobody does: no alias of the workspace's stands for another.
 */
export function fleetSettings(settings: WorkspaceSettings): WorkspaceSettings {
  return {
    ...settings,
    loggingEnabled: false,
    responseCache: false,
    fallbackModels: [],
    limits: { requestsPerMinute: null, tokensPerMinute: null },
    keyLimits: new Map(),
    aliases: new Map(),
  }
}
