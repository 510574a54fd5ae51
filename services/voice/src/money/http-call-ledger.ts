import { fleetIdentity, type Identity } from '@ratchet/contracts/identity'
import {
  checkpointCallHolds,
  readCharges,
  releaseCallHold,
  settleCallHold,
  takeCallHold,
} from '@ratchet/contracts/internal-call-money'
import { readWallet } from '@ratchet/contracts/internal-wallet'
import { publicId } from '@ratchet/contracts/public-id'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { CallLedger, TakenSlice } from './call-ledger.ts'

export interface HttpCallLedgerDeps {
  readonly inference: Pick<FleetClient, 'call'>
  readonly now: () => Date
  /** What the calls of a workspace may cost in a day (UTC), without language models; null: what the wallet has. */
  readonly dailyCapNano: bigint | null
}

/** Milliseconds for which a hold stays open after the last checkpoint. */
const keepMs = 30_000
/** The same before a worker has the call: the caller has a minute to connect. */
const keepWaitingMs = 120_000

/** The ledger of inference. Every call may be repeated as it was. */
export function createHttpCallLedger({ inference, now, dailyCapNano }: HttpCallLedgerDeps): CallLedger {
  const capOf = (workspaceId: string) => {
    if (dailyCapNano === null) return {}
    const dayStart = new Date(Math.floor(now().getTime() / dayMs) * dayMs)
    const id = deterministicId('daily spend of calls', workspaceId)
    return { cap: { id, capNano: String(dailyCapNano), windowStart: dayStart.toISOString() } }
  }
  return {
    async available(workspaceId) {
      return BigInt((await inference.call(readWallet, {}, identityOf(workspaceId))).available_nano)
    },
    async hold(slice) {
      const body = { ...holdBody(slice), ...capOf(slice.workspaceId) }
      return inference
        .call(takeCallHold, { body }, identityOf(slice.workspaceId))
        .then(() => 'held' as const, refusedAs)
    },
    async checkpoint(ownerId, slices) {
      const items = slices.map(({ holdId, workspaceId, costNano }) => {
        return { hold_id: holdId, workspace_id: workspaceId, cost_nano: String(costNano) }
      })
      const body = { owner_id: ownerId, keep_ms: keepMs, items }
      await inference.call(checkpointCallHolds, { body }, fleetIdentity)
    },
    async settle({ workspaceId, holdId }, costNano) {
      const input = { params: { hold_id: holdId }, body: { cost_nano: String(costNano) } }
      return BigInt((await inference.call(settleCallHold, input, identityOf(workspaceId))).charged_nano)
    },
    async release({ workspaceId, holdId }) {
      const input = { params: { hold_id: holdId } }
      return BigInt((await inference.call(releaseCallHold, input, identityOf(workspaceId))).charged_nano)
    },
    async charges(workspaceId, requestIds) {
      const input = { body: { request_ids: [...requestIds] } }
      const { data } = await inference.call(readCharges, input, identityOf(workspaceId))
      return new Map(
        data.map(({ request_id, cost_nano }) => [request_id, cost_nano === null ? null : BigInt(cost_nano)]),
      )
    },
  }
}

function holdBody({ holdId, agentId, voice, ownerId, amountNano }: TakenSlice) {
  return {
    hold_id: holdId,
    owner_id: ownerId,
    amount_nano: String(amountNano),
    keep_ms: ownerId === null ? keepWaitingMs : keepMs,
    model: `voice/${voice}`,
    tag: publicId('agent', agentId),
  }
}

function identityOf(workspaceId: string): Identity {
  return { ...fleetIdentity, workspaceId, role: 'admin' }
}

function refusedAs(error: unknown): 'refused' | 'closed' {
  if (error instanceof FleetCallError && error.code === 'conflict') return 'closed'
  const isRefusal = error instanceof FleetCallError && refusals.has(error.code)
  if (isRefusal) return 'refused'
  throw error
}

const refusals: ReadonlySet<string | null> = new Set(['insufficient_balance', 'spend_cap_reached'])
