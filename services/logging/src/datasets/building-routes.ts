import { mebibyte } from '@ratchet/contracts/byte-sizes'
import {
  announceDataset,
  drawPrompts,
  fillDataset as fillContract,
  reportDataset,
} from '@ratchet/contracts/internal-datasets'
import { uuidOf } from '@ratchet/contracts/public-id'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { mountJson, readJsonBytes } from '@ratchet/service-kit/http/mount-json'
import { invalidRequest, notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { splitList } from '@ratchet/service-kit/json/split-list'
import { isObject } from '@ratchet/service-kit/values/json'
import type { Router } from 'express'
import type { z } from 'zod'
import { batchesBySize } from '../exchanges/batches-by-size.ts'
import type { ExchangePicks } from '../picks/exchange-picks.ts'
import { filterOf } from '../picks/filter-of.ts'
import { redactKnown } from '../redaction/redact-exchange.ts'
import { requireLogging } from '../workspaces/require-logging.ts'
import type { CreateDatasetDeps } from './create-routes.ts'
import type { StoredDataset } from './dataset.ts'
import { datasetReply } from './dataset-reply.ts'
import { fillDataset } from './fill-dataset.ts'
import { maxExampleBytes, readListed } from './import-dataset.ts'
import { curationBatch, parseContent } from './matching-exchanges.ts'

export interface BuildingRouteDeps extends CreateDatasetDeps {
  readonly picks: Pick<ExchangePicks, 'prompts'>
}

/** Datasets that the training service makes. The edge does not forward requests to them. */
export function buildingRoutes(router: Router, deps: BuildingRouteDeps): void {
  const { datasets, now } = deps
  promptRoute(router, deps)

  mountJson(router, announceDataset, async ({ params, body, identity }) => {
    const { workspaceId, userId } = identity
    const id = uuidOf('dataset', params.id)
    if (id === null) throw invalidRequest('id', 'This is no id of a dataset.')
    const { name } = redactKnown({}, { name: body.name }).identifiers
    const dataset = {
      id,
      workspaceId,
      name,
      description: null,
      kind: 'train',
      source: 'distill',
      format: 'chat',
      filters: body.filters,
      criterionId: body.criterion_id,
      holdoutPct: null,
      createdBy: userId,
      createdAt: now(),
    } as const
    await datasets.announce(dataset, body.progress)
    return { reply: datasetReply(await requireBuilt(deps, params.id, workspaceId)) }
  })

  mountJson(router, reportDataset, async ({ params, body, identity: { workspaceId } }) => {
    const dataset = await requireBuilt(deps, params.id, workspaceId)
    const { progress, status_message: message, failed } = body
    await datasets.report(dataset, { progress, message, status: failed ? 'failed' : 'building' })
    return { reply: datasetReply(await requireBuilt(deps, params.id, workspaceId)) }
  })

  mountRaw(router, fillContract, async ({ params, identity, request }, response) => {
    const { workspaceId } = identity
    const bytes = await readJsonBytes(request, response, fillContract.maxJsonBytes)
    const { items } = await deps.slicedWork.run(splitList(bytes, 'examples', { maxItemBytes: maxExampleBytes }))
    if (items === null) throw invalidRequest('examples', '`examples` is required.')
    const dataset = await requireBuilt(deps, params.id, workspaceId)
    const { status } = dataset.building
    if (status === 'failed') throw new ServiceError('conflict', 'The dataset failed.')
    if (status === 'building') {
      await fillDataset(deps, { identity, dataset, examples: readListed(deps, { workspaceId, format: 'chat' }, items) })
    }
    response.status(200).json(datasetReply(await requireBuilt(deps, params.id, workspaceId)))
  })
}

/** @throws ServiceError `not_found` */
async function requireBuilt(
  { datasets }: BuildingRouteDeps,
  publicId: string,
  workspaceId: string,
): Promise<StoredDataset> {
  const id = uuidOf('dataset', publicId)
  const found = id === null ? null : await datasets.get({ workspaceId, id })
  if (found === null) throw notFound('dataset')
  return found
}

/** Bytes of prompts after which the draw ends. */
const promptBytes = 16 * mebibyte

function promptRoute(router: Router, { picks, exchanges, workspaces, now }: BuildingRouteDeps): void {
  mountJson(router, drawPrompts, async ({ body: { filters, count, seed }, identity: { workspaceId } }) => {
    await requireLogging(workspaces, workspaceId)
    const scope = { workspaceId, at: now() }
    const drawn = await picks.prompts({ ...scope, filter: filterOf(filters), count, seed })
    const data: z.input<typeof drawPrompts.reply>['data'] = []
    let bytes = 0
    for (const some of batchesBySize(drawn.exchanges, { ...curationBatch, bytesOf: ({ sizeBytes }) => sizeBytes })) {
      const contents = await exchanges.contents(scope, some)
      for (const { id, sizeBytes } of some) {
        const content = contents.get(id)
        bytes += sizeBytes
        if (content === undefined || bytes > promptBytes) continue
        const { messages, tools, response } = parseContent(content)
        data.push(JSON.parse(JSON.stringify({ messages, tools, reply: isReply(response) ? response : null })))
      }
      if (bytes > promptBytes) break
    }
    return { reply: { data } }
  })
}

function isReply(response: unknown): boolean {
  return isObject(response) && response.role === 'assistant'
}
