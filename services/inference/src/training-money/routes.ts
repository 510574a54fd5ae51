import {
  checkpointTrainingHold,
  confirmTrainingHolds,
  listTrainingHolds,
  releaseTrainingHold,
  settleTrainingHold,
  takeTrainingHold,
} from '@ratchet/contracts/internal-training-money'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { JobCharge, JobHolds, OpenJobHold } from './job-holds.ts'

export interface JobHoldRouteDeps {
  readonly jobHolds: JobHolds
  readonly onCharged: (kind: string, chargedNano: bigint) => void
}

/** Money of training jobs, for the training service. The edge does not forward to it. */
export function jobHoldRoutes(router: Router, deps: JobHoldRouteDeps): void {
  const { jobHolds } = deps
  takeRoute(router, deps)
  chargeRoutes(router, deps)
  mountJson(router, confirmTrainingHolds, async ({ body, identity: { workspaceId } }) => {
    const data = (await jobHolds.confirm(workspaceId, body.hold_ids)).map(openReply)
    return { reply: { object: 'list' as const, data } }
  })
  mount(router, listTrainingHolds, async ({ identity: { workspaceId } }) => ({
    object: 'list' as const,
    data: (await jobHolds.confirm(workspaceId, [])).map(openReply),
  }))
}

function takeRoute(router: Router, { jobHolds }: JobHoldRouteDeps): void {
  mountJson(router, takeTrainingHold, async ({ body, identity: { workspaceId, keyId } }) => {
    const { hold_id: holdId, job_id: jobId, amount_nano: amount, model, kind } = body
    const labels = { keyId, tag: null, alias: null }
    const asked = { holdId, workspaceId, jobId, amountNano: BigInt(amount), model, kind, labels }
    const { outcome, heldNano, jobCostNano } = await jobHolds.hold(asked)
    if (outcome === 'held') return { reply: { held_nano: String(heldNano), job_cost_nano: String(jobCostNano) } }
    if (outcome === 'refused') throw new ServiceError('insufficient_balance', 'The wallet does not cover the job.')
    throw new ServiceError('conflict', conflicts[outcome])
  })
}

const conflicts = {
  busy: 'The job has another open hold.',
  posted: 'The hold was settled or released.',
  voided: 'The hold was released before it was taken, or because no call named it for a day.',
} as const

function chargeRoutes(router: Router, { jobHolds, onCharged }: JobHoldRouteDeps): void {
  const answer = (charge: JobCharge | undefined) => {
    if (charge === undefined) throw new ServiceError('not_found', 'No such hold.')
    if (charge.chargedNano > 0n) onCharged(charge.kind, charge.chargedNano)
    const { state, heldNano, jobCostNano } = charge
    return { state, held_nano: String(heldNano), job_cost_nano: String(jobCostNano) }
  }
  for (const [endpoint, charge] of [
    [checkpointTrainingHold, jobHolds.checkpoint],
    [settleTrainingHold, jobHolds.settle],
  ] as const) {
    mountJson(router, endpoint, async ({ params, body, identity: { workspaceId } }) => {
      const { cost_nano: cost, trained_tokens: tokens } = body
      const known = tokens === undefined ? {} : { tokens: BigInt(tokens) }
      const charged = await charge({ holdId: params.hold_id, workspaceId, costNano: BigInt(cost), ...known })
      return { reply: answer(charged) }
    })
  }
  mount(router, releaseTrainingHold, async ({ params, identity: { workspaceId } }) =>
    answer(await jobHolds.release({ holdId: params.hold_id, workspaceId })),
  )
}

function openReply({ holdId, jobId, heldNano, jobCostNano, openedAt, expiresAt }: OpenJobHold) {
  return {
    hold_id: holdId,
    job_id: jobId,
    held_nano: String(heldNano),
    job_cost_nano: String(jobCostNano),
    opened_at: openedAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  }
}
