import { isDeepStrictEqual } from 'node:util'
import {
  type CreateBatch,
  cancelBatch,
  createBatch,
  getBatch,
  listBatches,
  maxUnfinishedBatches,
} from '@ratchet/contracts/batches'
import type { Brand } from '@ratchet/contracts/brand'
import { uuidOf } from '@ratchet/contracts/public-id'
import { createIdempotently } from '@ratchet/service-kit/http/create-idempotently'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { createFairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { Request, Router } from 'express'
import type { Batch } from './batch.ts'
import { batchReply } from './batch-reply.ts'
import type { BatchStore } from './batch-store.ts'
import { type CreateBatchDeps, createBatchOf } from './create-batch.ts'

export interface BatchRouteDeps extends CreateBatchDeps {
  readonly batches: CreateBatchDeps['batches'] & Pick<BatchStore, 'get' | 'list' | 'cancel'>
  readonly brand: Brand
  readonly newId: () => string
  /** Notifies workers of requests. Never fails. */
  readonly enqueueLines: (batchIds: readonly string[]) => Promise<void>
  /** Notifies workers of batches. Never fails. */
  readonly enqueueBatches: (ids: readonly string[]) => Promise<void>
}

/** A file is in memory while it is checked, for some seconds. */
const checkPlaces = {
  places: 2,
  maxOfOwner: 1,
  maxWaitMs: 30_000,
  maxWaiting: { ofOwner: maxUnfinishedBatches, ofAll: 200 },
}

/** Batches in OpenAI's format. */
export function batchRoutes(router: Router, deps: BatchRouteDeps): void {
  const { batches } = deps
  createRoute(router, deps)
  mount(router, listBatches, async ({ query: { limit, after }, identity: { workspaceId } }) => {
    const last =
      after === undefined ? null : (await requireBatch(batches, { workspaceId, id: after, param: 'after' })).id
    const found = await batches.list({ workspaceId, limit: limit + 1, after: last })
    const data = found.slice(0, limit).map(batchReply)
    const ids = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
    return { object: 'list' as const, data, ...ids, has_more: found.length > limit }
  })
  mount(router, getBatch, async ({ params, identity: { workspaceId } }) =>
    batchReply(await requireBatch(batches, { workspaceId, id: params.id })),
  )
  mount(router, cancelBatch, async ({ params, identity: { workspaceId } }) => {
    const { id } = await requireBatch(batches, { workspaceId, id: params.id })
    const cancelled = await batches.cancel({ workspaceId, id }, deps.now())
    if (cancelled !== null) {
      await deps.enqueueBatches([id])
      return batchReply(cancelled)
    }
    const other = await requireBatch(batches, { workspaceId, id: params.id })
    // Cancelling twice is not an error.
    if (other.status === 'cancelling' || other.status === 'cancelled') return batchReply(other)
    throw new ServiceError('conflict', `The batch is ${other.status} and cannot be cancelled.`)
  })
}

function createRoute(router: Router, deps: BatchRouteDeps): void {
  const { batches, newId, enqueueLines } = deps
  const places = createFairPlaces(checkPlaces)
  mountJson(router, createBatch, async ({ body, identity, request }) => {
    const { workspaceId } = identity
    const order = {
      request,
      scope: ['batch', workspaceId],
      newId,
      find: (id: string) => batches.get({ workspaceId, id }),
      isSame: (batch: Batch) => isSame(batch, body),
    }
    const headers = headersOf(deps.brand, request)
    const { started, headers: replied } = await createIdempotently(order, (id) =>
      places.run(workspaceId, () => createBatchOf(deps, { id, identity, request: body, headers })),
    )
    if (started.status === 'in_progress') await enqueueLines([started.id])
    return { headers: replied, reply: batchReply(started) }
  })
}

function isSame({ inputFileId, endpoint, metadata }: Batch, request: CreateBatch): boolean {
  return (
    inputFileId === request.input_file_id &&
    endpoint === request.endpoint &&
    isDeepStrictEqual(metadata ?? {}, { ...request.metadata })
  )
}

/** What the client says about the batch, it says about each of its requests. */
function headersOf({ headers }: Brand, request: Request): Record<string, string> {
  const names = [headers.tag, headers.traceId, headers.user, headers.log]
  const sent = names.map((name) => [name, request.header(name)] as const)
  return Object.fromEntries(
    sent.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])),
  )
}

async function requireBatch(
  batches: Pick<BatchStore, 'get'>,
  { workspaceId, id: named, param = 'id' }: { workspaceId: string; id: string; param?: string },
): Promise<Batch> {
  const id = uuidOf('batch', named)
  const found = id === null ? null : await batches.get({ workspaceId, id })
  if (found === null) throw notFound('batch', param)
  return found
}
