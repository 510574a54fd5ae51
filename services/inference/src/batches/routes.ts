import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BatchEndpoint } from '@ratchet/contracts/batches'
import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { quoteBatch, releaseBatchHold, takeBatchHold } from '@ratchet/contracts/internal-batches'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { completionRewrite } from '../request/rewrite-completion.ts'
import { chatSurface } from '../surfaces/chat/chat-surface.ts'
import { embeddingsSurface } from '../surfaces/embeddings/embeddings-surface.ts'
import { moderationsSurface } from '../surfaces/moderations/moderations-surface.ts'
import { responsesSurface } from '../surfaces/responses/responses-surface.ts'
import type { JobHolds } from '../training-money/job-holds.ts'
import { type LineSurface, type QuoteDeps, quoteLine } from './quote-line.ts'

export interface BatchRouteDeps extends QuoteDeps {
  readonly jobHolds: JobHolds
}

/** Characters of bodies that are priced in one turn of the event loop; sixteen bodies at most. */
const turnLength = 64 * kibibyte

const plain = (bytes: Buffer) => bytes

const surfaces: Readonly<Record<BatchEndpoint, LineSurface>> = {
  '/v1/chat/completions': { surface: chatSurface, rewrite: plain },
  '/v1/responses': { surface: responsesSurface, rewrite: plain },
  '/v1/embeddings': { surface: embeddingsSurface, rewrite: plain },
  '/v1/completions': {
    surface: chatSurface,
    rewrite: (bytes) => completionRewrite.request(bytes, 'application/json'),
  },
  '/v1/moderations': { surface: moderationsSurface, rewrite: plain },
}

/** Prices and money of batches, for the eval service. The edge does not forward to it. */
export function batchRoutes(router: Router, deps: BatchRouteDeps): void {
  const { jobHolds } = deps
  mountJson(router, quoteBatch, async ({ body: { endpoint, bodies }, identity }) => {
    const data = []
    let length = 0
    for (const body of bodies) {
      // Requests that wait for models have their turn between.
      length += body.length + turnLength / 16
      if (length > turnLength) {
        length = 0
        await nextTurn()
      }
      const quote = await quoteLine(deps, surfaces[endpoint], { identity, body })
      data.push('error' in quote ? quote : { max_cost_nano: String(quote.maxCostNano), model: quote.model })
    }
    return { reply: { object: 'list' as const, data } }
  })
  mountJson(router, takeBatchHold, async ({ body, identity: { workspaceId, keyId } }) => {
    const { hold_id: holdId, amount_nano: amount, model } = body
    const labels = { keyId, tag: null, alias: null }
    const asked = {
      holdId,
      workspaceId,
      jobId: holdId,
      amountNano: BigInt(amount),
      model,
      kind: 'batch',
      labels,
    } as const
    const { outcome, heldNano } = await jobHolds.hold(asked)
    if (outcome === 'held') return { reply: { held_nano: String(heldNano) } }
    if (outcome === 'refused') throw new ServiceError('insufficient_balance', 'The wallet does not cover the batch.')
    throw new ServiceError('conflict', 'The hold was released.')
  })
  mount(router, releaseBatchHold, async ({ params, identity: { workspaceId } }) => {
    const { state } = await jobHolds.release({ holdId: params.hold_id, workspaceId })
    return { state }
  })
}
