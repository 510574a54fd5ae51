import {
  checkpointCallHolds,
  readCharges,
  releaseCallHold,
  settleCallHold,
  takeCallHold,
} from '@ratchet/contracts/internal-call-money'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { capOf } from '../request/internal-call.ts'
import type { CallHolds } from './call-holds.ts'

export interface CallHoldRouteDeps {
  readonly callHolds: CallHolds
  readonly onCharged: (kind: string, chargedNano: bigint) => void
}

/** Money of calls, for the voice service. The edge does not forward to it. */
export function callHoldRoutes(router: Router, { callHolds, onCharged }: CallHoldRouteDeps): void {
  takeRoute(router, callHolds)
  mountJson(router, checkpointCallHolds, async ({ body: { owner_id: ownerId, keep_ms: keepMs, items } }) => {
    const costs = items.map(({ hold_id, workspace_id, cost_nano }) => {
      return { holdId: hold_id, workspaceId: workspace_id, costNano: BigInt(cost_nano) }
    })
    await callHolds.checkpoint({ ownerId, keepMs, items: costs })
    return { reply: { object: 'checkpoints' as const } }
  })
  mountJson(router, settleCallHold, async ({ params, body, identity: { workspaceId } }) => {
    const chargedNano = await callHolds.settle({
      holdId: params.hold_id,
      workspaceId,
      costNano: BigInt(body.cost_nano),
    })
    if (chargedNano > 0n) onCharged('voice', chargedNano)
    return { reply: { charged_nano: String(chargedNano) } }
  })
  mount(router, releaseCallHold, async ({ params, identity: { workspaceId } }) => ({
    charged_nano: String(await callHolds.release({ holdId: params.hold_id, workspaceId })),
  }))
  mountJson(router, readCharges, async ({ body, identity: { workspaceId } }) => {
    const data = (await callHolds.charges(workspaceId, body.request_ids)).map(({ requestId, costNano }) => {
      return { request_id: requestId, cost_nano: costNano === null ? null : String(costNano) }
    })
    return { reply: { object: 'list' as const, data } }
  })
}

function takeRoute(router: Router, callHolds: CallHolds): void {
  mountJson(router, takeCallHold, async ({ body, identity: { workspaceId, keyId } }) => {
    const { hold_id: holdId, owner_id: ownerId, amount_nano: amount, keep_ms: keepMs, model, tag } = body
    const labels = { keyId, tag, alias: null }
    const cap = body.cap === undefined ? null : capOf(body.cap)
    const asked = { holdId, workspaceId, ownerId, amountNano: BigInt(amount), keepMs, model, labels, cap }
    const outcome = await callHolds.hold(asked)
    if (outcome === 'held') return { reply: { outcome } }
    throw refusals[outcome]()
  })
}

const refusals = {
  refused: () => new ServiceError('insufficient_balance', 'The wallet does not cover the call.'),
  capped: () => new ServiceError('spend_cap_reached', 'The spend cap does not cover the call.'),
  closed: () => new ServiceError('conflict', 'The hold was settled, released or closed.'),
} as const
