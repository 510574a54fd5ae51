import { mebibyte } from '@ratchet/contracts/byte-sizes'
import {
  deleteDataset,
  exportDataset,
  getDataset,
  listDatasetExamples,
  listDatasets,
  updateDataset,
} from '@ratchet/contracts/datasets'
import { type PageQuery, pageReply } from '@ratchet/contracts/page'
import { uuidOf } from '@ratchet/contracts/public-id'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { writePieces } from '@ratchet/service-kit/http/write-pieces'
import type { Router } from 'express'
import type { DataUse } from './data-use.ts'
import type { StoredDataset } from './dataset.ts'
import { datasetReply, exampleReply } from './dataset-reply.ts'
import { exportDataset as exportLines, readExamplesOf } from './export-dataset.ts'
import type { DatasetStore } from './pg-datasets.ts'

export interface DatasetRouteDeps {
  readonly datasets: DatasetStore
  readonly dataUse: DataUse
}

/** Everything about datasets but making them. */
export function datasetRoutes(router: Router, deps: DatasetRouteDeps): void {
  const { datasets } = deps
  mount(router, listDatasets, async ({ query, identity: { workspaceId } }) => {
    const { total, datasets: found } = await datasets.list({ ...query, workspaceId })
    return pageReply(found.map(datasetReply), total, query)
  })
  mount(router, getDataset, async (input) => datasetReply(await requireDataset(deps, input)))
  mount(router, listDatasetExamples, async (input) => {
    const dataset = requireReady(await requireDataset(deps, input))
    const data = await examplesOfPage(datasets, dataset, input.query)
    return pageReply(data, dataset.exampleCount, input.query)
  })
  mountRaw(router, exportDataset, async (input, response) => {
    const dataset = requireReady(await requireDataset(deps, input))
    const { format } = input.query
    if (dataset.format !== 'chat' && format !== 'openai') {
      const what = dataset.format === 'prompts' ? 'Prompts' : 'Pairs of answers'
      throw new ServiceError('invalid_request', `${what} are exported as \`openai\` only.`, { param: 'format' })
    }
    const [suffix, type] = format === 'csv' ? ['csv', 'text/csv'] : ['jsonl', 'application/jsonl']
    response.attachment(`${dataset.name}.${suffix}`)
    await writePieces(response, `${type}; charset=utf-8`, exportLines(datasets, dataset, format))
  })
  mountJson(router, updateDataset, async (input) => {
    const { workspaceId, id } = await requireDataset(deps, input)
    await datasets.rename({ workspaceId, id }, input.body)
    return { reply: datasetReply(await requireDataset(deps, input)) }
  })
  mount(router, deleteDataset, async (input) => {
    const { workspaceId, id } = await requireDataset(deps, input)
    if (await deps.dataUse.byEvals(input.identity, input.params.id)) {
      throw new ServiceError('dataset_in_use', 'An eval that has not begun takes its prompts from this dataset.')
    }
    if (await deps.dataUse.byTraining(input.identity, input.params.id)) {
      throw new ServiceError('dataset_in_use', 'A fine-tuning job still has to read this dataset.')
    }
    if (!(await datasets.delete({ workspaceId, id }))) throw notFound('dataset')
    return { id: input.params.id, deleted: true as const }
  })
}

interface DatasetRequest {
  readonly params: { readonly id: string }
  readonly identity: { readonly workspaceId: string }
}

async function requireDataset(
  { datasets }: DatasetRouteDeps,
  { params, identity: { workspaceId } }: DatasetRequest,
): Promise<StoredDataset> {
  const id = uuidOf('dataset', params.id)
  const found = id === null ? null : await datasets.get({ workspaceId, id })
  if (found === null) throw notFound('dataset')
  return found
}

/** @throws ServiceError `conflict` for a dataset that is being built, or could not be */
function requireReady(dataset: StoredDataset): StoredDataset {
  const { status } = dataset.building
  if (status === 'ready') return dataset
  throw new ServiceError('conflict', `The dataset is \`${status}\`, so it has no examples.`, { param: 'id' })
}

/** Bytes of examples after which a page ends early. */
const pageBytes = 32 * mebibyte

async function examplesOfPage(datasets: DatasetStore, dataset: StoredDataset, query: PageQuery) {
  const data = []
  let bytes = 0
  for await (const example of readExamplesOf(datasets, dataset, query)) {
    data.push(exampleReply(example))
    bytes += example.line.length
    if (bytes > pageBytes) break
  }
  return data
}
