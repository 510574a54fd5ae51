import type { Identity, Purpose } from '@ratchet/contracts/identity'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import type { SpendCap } from '../ledger/ledger.ts'
import type { WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'

/** A call that a process of the fleet makes for a workspace. */
export interface InternalCall {
  readonly purpose: Purpose
  /** Limits the spend of the purpose; null when only the wallet limits it. */
  readonly cap: SpendCap | null
}

/**
 * The settings as they apply to a turn of a call. It is traffic of the workspace's clients, but a sentence that was said to one
 * caller is not the answer to another: no cache.
 */
export function channelSettings(
  settings: WorkspaceSettings,
  { channel }: Pick<Identity, 'channel'>,
): WorkspaceSettings {
  return channel === undefined ? settings : { ...settings, responseCache: false }
}

/** Milliseconds for which the answer to an internal call is replayed under its key: the caller may be down for days. */
export const internalReplayMs = 7 * dayMs

/** Null for a request of a client. */
export function internalCallOf({ purpose, spendCap }: Identity): InternalCall | null {
  if (purpose === undefined) return null
  return { purpose, cap: spendCap === undefined ? null : capOf(spendCap) }
}

/** Whether an answer states its charge in nano-dollars: to a process of the fleet that adds them up. */
export function statesCost({
  identity,
  internalCall,
}: {
  readonly identity: Identity
  readonly internalCall: InternalCall | null
}): boolean {
  return internalCall !== null || identity.channel === 'batch'
}

export function capOf({ id, capNano, windowStart }: NonNullable<Identity['spendCap']>): SpendCap {
  return { id: id.toLowerCase(), capNano: BigInt(capNano), windowStart: new Date(windowStart) }
}

/**
 * The settings as they apply to an internal call. It is not traffic of the workspace's clients, so it is not logged and
 * counts against no rate limit. It measures one model, so that model alone may answer: no alias, no fallback, no cache. Budgets count it.
 */
export function internalCallSettings(settings: WorkspaceSettings): WorkspaceSettings {
  return {
    ...settings,
    loggingEnabled: false,
    responseCache: false,
    fallbackModels: [],
    limits: { requestsPerMinute: null, tokensPerMinute: null },
    keyLimits: new Map(),
    keyModels: new Map(),
    aliases: new Map(),
  }
}
