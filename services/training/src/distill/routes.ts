import { isDeepStrictEqual } from 'node:util'
import { distillDataset } from '@ratchet/contracts/dataset-distill'
import { getDataset } from '@ratchet/contracts/datasets'
import type { Identity } from '@ratchet/contracts/identity'
import { announceDataset } from '@ratchet/contracts/internal-datasets'
import { publicId } from '@ratchet/contracts/public-id'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { createIdempotently } from '@ratchet/service-kit/http/create-idempotently'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { requireRoom } from '../jobs/require-room.ts'
import type { Distillation, DistillationStore } from './distillation.ts'
import { type PrepareDistillationDeps, prepareDistillation } from './prepare-distillation.ts'

export interface DistillRouteDeps extends PrepareDistillationDeps {
  readonly distillations: DistillationStore
  readonly samplesOf: (distillation: Distillation) => Promise<number>
  readonly now: () => Date
  readonly newId: () => string
}

/** The start of datasets of a teacher's answers, which logging shows. */
export function distillRoutes(router: Router, deps: DistillRouteDeps): void {
  const { distillations, now, newId } = deps
  mountJson(router, distillDataset, async ({ body, identity, request }) => {
    const { workspaceId } = identity
    const asked: unknown = JSON.parse(JSON.stringify(body))
    const order = {
      request,
      scope: ['distillation', workspaceId],
      newId,
      find: (id: string) => distillations.get({ workspaceId, id }),
      isSame: (known: Distillation) => isDeepStrictEqual(known.request, asked),
    }
    const { started, headers } = await createIdempotently(order, async (id) => {
      requireRoom('distillations', await distillations.countUnfinished(workspaceId))
      await distillations.create(await prepareDistillation(deps, { id, identity, request: body, createdAt: now() }))
      const created = await distillations.get({ workspaceId, id })
      if (created === null) throw new Error('The distillation was not stored.')
      return created
    })
    return { headers, reply: await shown(deps, identity, started) }
  })
}

/** Shows the dataset before the first answer is asked for, so that it can be deleted. */
async function shown(deps: DistillRouteDeps, identity: Identity, distillation: Distillation) {
  const params = { id: publicId('dataset', distillation.id) }
  if (distillation.status !== 'new') {
    return deps.logging.call(getDataset, { params }, identity).catch(asRefusal)
  }
  const dataset = await announce(deps, identity, distillation).catch(asRefusal)
  await deps.distillations.open(distillation)
  return dataset
}

async function announce({ logging, samplesOf }: DistillRouteDeps, identity: Identity, distillation: Distillation) {
  const { id, request } = distillation
  const {
    name,
    criterion_id: criterionId,
    teacher_model,
    dataset_id,
    filters,
    samples_per_prompt,
    temperature,
  } = request
  const { seed } = request
  const source = dataset_id == null ? { ...filters } : { dataset_id }
  const samples = await samplesOf(distillation)
  const body = {
    name,
    filters: { teacher_model, ...source, samples_per_prompt, temperature, seed },
    criterion_id: criterionId ?? null,
    progress: { samples, answered: 0, refused: 0, judged: 0, passed: 0, cost_usd: 0 },
  }
  return logging.call(announceDataset, { params: { id: publicId('dataset', id) }, body }, identity)
}

function asRefusal(error: unknown): never {
  if (!(error instanceof FleetCallError)) throw error
  if (error.status === 404) throw notFound('dataset')
  if (!error.mayPass) throw error
  const message = 'The dataset cannot be shown at the moment. Retry.'
  throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause: error })
}
