import { isDeepStrictEqual } from 'node:util'
import {
  createDedicatedEndpoint,
  deleteDedicatedEndpoint,
  getDedicatedEndpoint,
  getDedicatedMetrics,
  listDedicatedEndpoints,
  listDedicatedEvents,
  listDedicatedHardware,
  startDedicatedEndpoint,
  stopDedicatedEndpoint,
  updateDedicatedEndpoint,
} from '@ratchet/contracts/dedicated'
import type { CreateDedicatedEndpoint, UpdateDedicatedEndpoint } from '@ratchet/contracts/dedicated-body'
import type { Identity } from '@ratchet/contracts/identity'
import { nanoToUsd } from '@ratchet/contracts/money'
import { uuidOf } from '@ratchet/contracts/public-id'
import { createIdempotently } from '@ratchet/service-kit/http/create-idempotently'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { readJson } from '@ratchet/service-kit/http/mount-json'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { answeringFlatly } from '../bodies/flat-routes.ts'
import { requireRoom } from '../jobs/require-room.ts'
import { bucketQuantile } from './bucket-quantile.ts'
import { changedSettings } from './changed-settings.ts'
import {
  type DedicatedEndpoint,
  type EndpointAdapter,
  type EndpointStore,
  type NewEndpoint,
  RoutingKeyTaken,
} from './endpoint.ts'
import { chooseAdapters } from './endpoint-adapters.ts'
import { endpointReply, eventReply, hardwareReply } from './endpoint-reply.ts'
import { type ChoiceDeps, chooseMachine, findModel, settingsOf } from './new-endpoint.ts'
import type { ReadCounts } from './pg-metrics.ts'
import { readChange, readCreation, requireOrder } from './read-body.ts'
import { routingKey } from './routing-key.ts'

export interface DedicatedRouteDeps extends ChoiceDeps {
  readonly endpoints: EndpointStore
  readonly metrics: ReadCounts
  /** What the wallet of a workspace can spend, nano-dollars. */
  readonly availableNano: (identity: Identity) => Promise<bigint>
  readonly newId: () => string
  readonly randomBytes: (length: number) => Uint8Array
}

export function dedicatedRoutes(router: Router, deps: DedicatedRouteDeps): void {
  const { endpoints, metrics } = deps
  createRoute(router, deps)
  mount(router, listDedicatedEndpoints, async ({ identity }) =>
    (await endpoints.list(identity.workspaceId)).map(endpointReply),
  )
  mount(router, getDedicatedEndpoint, async ({ params, identity }) =>
    endpointReply(await requireEndpoint(endpoints, identity, params.id)),
  )
  mount(router, listDedicatedEvents, async ({ params, identity }) => {
    const found = await requireEndpoint(endpoints, identity, params.id)
    return { object: 'list' as const, data: (await endpoints.events(found)).map(eventReply) }
  })
  mount(router, getDedicatedMetrics, async ({ params, query, identity }) => {
    const { workspaceId, id } = await requireEndpoint(endpoints, identity, params.id)
    const windowMs = windows[query.window]
    const counts = await metrics({ workspaceId, id, windowMs })
    return {
      object: 'dedicated.endpoint.metrics' as const,
      window: query.window,
      requests: counts.requests,
      errors: counts.errors,
      queue_ms_p95: bucketQuantile(counts.waits, 0.95),
      ttft_ms_p50: bucketQuantile(counts.ttft, 0.5),
      ttft_ms_p95: bucketQuantile(counts.ttft, 0.95),
      tokens: counts.tokens,
      tokens_per_second: Math.round((counts.tokens / windowMs) * 1e6) / 1e3,
      kv_cache_used: counts.cacheUsed,
      replicas: counts.replicas.map(({ at, ready }) => ({ at: at.toISOString(), ready })),
      cost_usd: nanoToUsd(counts.costNano),
    }
  })
  mount(router, listDedicatedHardware, async ({ query, identity }) => {
    const model = query.model === undefined ? null : await findModel(deps, identity, query.model)
    const used = await endpoints.used()
    return deps.hardware.map((each) => hardwareReply(each, used.get(each.id) ?? 0, model))
  })
  changeRoutes(router, deps)
}

const hourMs = 3_600_000
const windows = { '15m': hourMs / 4, '1h': hourMs, '24h': 24 * hourMs, '7d': 168 * hourMs } as const

/** @throws ServiceError `not_found`, also for an endpoint of another workspace, and a deleted one */
async function requireEndpoint(
  endpoints: Pick<EndpointStore, 'get'>,
  { workspaceId }: Identity,
  publicId: string,
): Promise<DedicatedEndpoint> {
  const id = uuidOf('dedicatedEndpoint', publicId)
  const found = id === null ? null : await endpoints.get({ workspaceId, id })
  if (found === null) throw notFound('Dedicated endpoint')
  return found
}

function createRoute(router: Router, deps: DedicatedRouteDeps): void {
  const { endpoints, newId } = deps
  mountRaw(router, createDedicatedEndpoint, ({ identity, request }, response) =>
    answeringFlatly(response, async () => {
      const sent = await readJson(request, response, createDedicatedEndpoint.maxJsonBytes)
      const { request: body, asSpelled } = readCreation(sent)
      const requested: unknown = JSON.parse(JSON.stringify(body))
      const { workspaceId } = identity
      const order = {
        request,
        scope: ['dedicated-endpoint', workspaceId],
        newId,
        find: (id: string) => endpoints.get({ workspaceId, id }),
        isSame: (endpoint: DedicatedEndpoint) => isDeepStrictEqual(endpoint.request, requested),
      }
      const { started, headers } = await createIdempotently(order, (id) => create(deps, { id, identity, body })).catch(
        (error: unknown) => {
          throw asSpelled(error)
        },
      )
      response
        .status(createDedicatedEndpoint.status)
        .set(headers)
        .json(createDedicatedEndpoint.reply.parse(endpointReply(started)))
    }),
  )
}

interface Ordered {
  readonly id: string
  readonly identity: Identity
  readonly body: CreateDedicatedEndpoint
}

async function create(deps: DedicatedRouteDeps, { id, identity, body }: Ordered): Promise<DedicatedEndpoint> {
  requireRoom('endpoints', (await deps.endpoints.list(identity.workspaceId)).length)
  const machine = await chooseMachine(deps, identity, body)
  const endpoint: NewEndpoint = {
    id,
    workspaceId: identity.workspaceId,
    createdBy: identity.userId,
    routingKey: routingKey(body.name, deps.randomBytes(4)),
    hardware: body.hardware,
    precision: body.precision,
    request: body,
    ...machine,
    ...settingsOf(body),
    adapters: [],
  }
  const adapters = await chooseAdapters(deps, { asked: body.adapters ?? [], identity, endpoint })
  await requireHour(deps, identity, endpoint)
  const created = await deps.endpoints.create({ ...endpoint, adapters }).catch(asConflict)
  if (created !== null) return created
  throw new ServiceError('conflict', 'The endpoint that this `Idempotency-Key` has created was deleted.')
}

/** @throws ServiceError `insufficient_balance` unless the wallet covers an hour of all replicas */
async function requireHour(
  { availableNano }: Pick<DedicatedRouteDeps, 'availableNano'>,
  identity: Identity,
  { priceNanoPerHour, maxReplicas }: Pick<NewEndpoint, 'priceNanoPerHour' | 'maxReplicas'>,
): Promise<void> {
  const hourNano = priceNanoPerHour * BigInt(maxReplicas)
  if ((await availableNano(identity)) >= hourNano) return
  const message = `An hour of all replicas costs $${nanoToUsd(hourNano)}, which the wallet does not cover. Top up the wallet or lower \`maxReplicas\`.`
  throw new ServiceError('insufficient_balance', message)
}

function changeRoutes(router: Router, deps: DedicatedRouteDeps): void {
  const { endpoints } = deps
  mountRaw(router, updateDedicatedEndpoint, ({ params, identity, request }, response) =>
    answeringFlatly(response, async () => {
      const { request: body } = readChange(await readJson(request, response, updateDedicatedEndpoint.maxJsonBytes))
      const found = await requireEndpoint(endpoints, identity, params.id)
      const settings = changedSettings(found, body)
      requireOrder(settings)
      const changed = await endpoints
        .change(found, settings, await changedAdapters(deps, identity, { found, body }))
        .catch(asConflict)
      if (changed === null) throw notFound('Dedicated endpoint')
      response.json(updateDedicatedEndpoint.reply.parse(endpointReply(changed)))
    }),
  )
  mount(router, startDedicatedEndpoint, async ({ params, identity }) => {
    const found = await requireEndpoint(endpoints, identity, params.id)
    if (isStopping(found)) throw new ServiceError('conflict', 'The endpoint stops. Start it when it is `STOPPED`.')
    if (!needsStart.has(found.state)) return endpointReply(found)
    await requireHour(deps, identity, found)
    return endpointReply((await endpoints.start(found)) ?? (await requireEndpoint(endpoints, identity, params.id)))
  })
  mount(router, stopDedicatedEndpoint, async ({ params, identity }) => {
    const found = await requireEndpoint(endpoints, identity, params.id)
    return endpointReply(
      (await endpoints.stop(found, 'user')) ?? (await requireEndpoint(endpoints, identity, params.id)),
    )
  })
  mount(router, deleteDedicatedEndpoint, async ({ params, identity }) => {
    const found = await requireEndpoint(endpoints, identity, params.id)
    await endpoints.stop(found, 'delete')
    return { id: params.id, deleted: true as const }
  })
}

async function changedAdapters(
  deps: DedicatedRouteDeps,
  identity: Identity,
  { found, body }: { readonly found: DedicatedEndpoint; readonly body: Pick<UpdateDedicatedEndpoint, 'adapters'> },
): Promise<readonly EndpointAdapter[]> {
  if (body.adapters === undefined) return found.adapters
  if (found.maxAdapters === 0 && body.adapters.length > 0) {
    const message = 'The endpoint was created without `adapters`, so its engines take none. Create another one.'
    throw new ServiceError('immutable_parameter', message, { param: 'adapters' })
  }
  return await chooseAdapters(deps, { asked: body.adapters, identity, endpoint: found })
}

function asConflict(error: unknown): never {
  if (!(error instanceof RoutingKeyTaken)) throw error
  const message = 'A `routingKey` of `adapters` was given out before. Choose another one, or leave it out.'
  throw new ServiceError('conflict', message, { param: 'adapters', cause: error })
}

const needsStart: ReadonlySet<string> = new Set(['STOPPED', 'FAILED', 'SCALED_TO_ZERO'])

function isStopping({ state, stoppingFor }: DedicatedEndpoint): boolean {
  return state === 'STOPPING' || stoppingFor === 'delete'
}
