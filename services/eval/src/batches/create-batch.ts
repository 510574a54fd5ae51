import {
  type BatchEndpoint,
  type BatchError,
  type CreateBatch,
  maxBatchBytes,
  maxBatchErrors,
} from '@ratchet/contracts/batches'
import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { getFile } from '@ratchet/contracts/files'
import type { Identity } from '@ratchet/contracts/identity'
import { maxQuotedLines, quoteBatch, takeBatchHold } from '@ratchet/contracts/internal-batches'
import { FleetCallError, type FleetClient, refusalOf } from '@ratchet/service-kit/fleet/fleet-client'
import { invalidRequest, notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { Batch, BatchRequest, NewBatch, PricedRequest } from './batch.ts'
import type { BatchStore } from './batch-store.ts'
import { readLines } from './read-lines.ts'

export interface CreateBatchDeps {
  readonly batches: Pick<BatchStore, 'create' | 'addLines' | 'begin' | 'fail' | 'discard'>
  readonly inference: Pick<FleetClient, 'call'>
  readonly logging: FleetClient
  readonly now: () => Date
}

export interface BatchOrder {
  /** UUID. */
  readonly id: string
  readonly identity: Identity
  readonly request: CreateBatch
  /** Of each request. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Checks every line of a file, holds the maximum cost of all, and lets them run. A file with wrong lines gives a batch that
 * failed.
 *
 * @throws ServiceError `insufficient_balance`; then nothing is held and there is no batch
 */
export async function createBatchOf(deps: CreateBatchDeps, order: BatchOrder): Promise<Batch> {
  const { batches, now } = deps
  const { id, identity } = order
  const content = await readInput(deps, order)
  const created = await batches.create(newBatch(order, now()))
  if (created === null) {
    throw new ServiceError('rate_limit_exceeded', 'Too many batches of the workspace have not ended.', {
      retryAfterSeconds: 60,
    })
  }
  const key = { id, workspaceId: identity.workspaceId }
  const discard = async (error: unknown): Promise<never> => {
    await batches.discard(key).catch(() => undefined)
    throw error
  }
  const { errors, model, costNano } = await checkLines(deps, order, content).catch(discard)
  if (errors.length > 0) return (await batches.fail(key, { errors, at: now() })) ?? created
  // After any other error it may be held, so the batch stays until a worker has released it.
  await takeHold(deps, order, { costNano, model }).catch((error: unknown) => {
    if (error instanceof ServiceError) return discard(error)
    throw error
  })
  return batches.begin(key, { model, at: now() })
}

function newBatch({ id, identity, request, headers }: BatchOrder, createdAt: Date): NewBatch {
  const { workspaceId, userId: createdBy, keyId } = identity
  const { endpoint, metadata = null, input_file_id: inputFileId } = request
  const expiresAt = new Date(createdAt.getTime() + dayMs)
  return { id, workspaceId, endpoint, metadata, headers, inputFileId, createdBy, keyId, createdAt, expiresAt }
}

/** @throws ServiceError when there is no such file, or it is no input of a batch */
async function readInput({ logging }: CreateBatchDeps, { identity, request }: BatchOrder): Promise<Buffer> {
  const param = 'input_file_id'
  const { input_file_id: fileId } = request
  if (!/^file-[0-9a-f]{32}$/.test(fileId)) throw notFound('file', param)
  const file = await logging.call(getFile, { params: { id: fileId } }, identity).catch((error: unknown) => {
    throw error instanceof FleetCallError && error.code === 'not_found' ? notFound('file', param) : error
  })
  if (file.purpose !== 'batch') throw invalidRequest(param, 'The purpose of the file must be `batch`.')
  if (file.bytes > maxBatchBytes) {
    throw new ServiceError('request_too_large', `The file of a batch has at most ${maxBatchBytes} bytes.`, { param })
  }
  const path = `/v1/files/${fileId}/content`
  const answer = await logging.send({ method: 'GET', path, route: '/v1/files/:id/content' }, identity)
  if (answer.status !== 200) throw refusalOf('logging', answer)
  return answer.body
}

interface Checked {
  readonly errors: readonly BatchError[]
  /** The model that all requests name; null when there are several. */
  readonly model: string | null
  readonly costNano: bigint
}

async function checkLines(deps: CreateBatchDeps, order: BatchOrder, content: Buffer): Promise<Checked> {
  const errors: BatchError[] = []
  const models = new Set<string>()
  let costNano = 0n
  for await (const requests of inChunks(readLines(chunksOf(content), order.request.endpoint), errors)) {
    // The errors of the file are complete without prices of its other lines.
    if (errors.length > 0) continue
    const quoted = await quoteChunk(deps, order, requests)
    errors.push(...quoted.errors.slice(0, maxBatchErrors))
    for (const { model, maxCostNano } of quoted.priced) {
      models.add(model)
      costNano += maxCostNano
    }
    if (errors.length === 0) {
      await deps.batches.addLines({ id: order.id, workspaceId: order.identity.workspaceId }, quoted.priced)
    }
  }
  const [model = null] = models
  return { errors: errors.slice(0, maxBatchErrors), model: models.size === 1 ? model : null, costNano }
}

/** Bytes of bodies from which they are priced. Inference has to parse all of one call at once. */
const maxQuotedBytes = 512 * kibibyte

/** Requests of a file in pieces that one call prices; what is wrong is added to `errors`. */
async function* inChunks(
  lines: ReturnType<typeof readLines>,
  errors: BatchError[],
): AsyncGenerator<readonly BatchRequest[]> {
  let chunk: BatchRequest[] = []
  let bytes = 0
  for await (const read of lines) {
    if ('error' in read) {
      errors.push(read.error)
      continue
    }
    chunk.push(read.request)
    bytes += read.request.body.length
    if (chunk.length < maxQuotedLines && bytes < maxQuotedBytes) continue
    yield chunk
    chunk = []
    bytes = 0
  }
  if (chunk.length > 0) yield chunk
}

async function* chunksOf(content: Buffer): AsyncGenerator<Buffer> {
  yield content
}

interface Quoted {
  readonly errors: readonly BatchError[]
  readonly priced: readonly (PricedRequest & { readonly model: string })[]
}

async function quoteChunk(
  { inference }: CreateBatchDeps,
  { id, identity, request }: BatchOrder,
  requests: readonly BatchRequest[],
): Promise<Quoted> {
  const bodies = requests.map(({ body }) => body)
  const endpoint: BatchEndpoint = request.endpoint
  const { data } = await inference.call(quoteBatch, { body: { endpoint, bodies } }, identity)
  const priced: (PricedRequest & { readonly model: string })[] = []
  const errors: BatchError[] = []
  for (const [place, each] of requests.entries()) {
    const quote = data[place]
    if (quote === undefined) throw new Error('inference priced fewer requests than it was sent')
    if ('error' in quote) {
      const { code, message, param } = quote.error
      errors.push({ code, message, param: param === null ? 'body' : `body.${param}`, line: each.line })
    } else {
      const lineId = deterministicId('batch-line', id, String(each.line))
      priced.push({ ...each, id: lineId, maxCostNano: BigInt(quote.max_cost_nano), model: quote.model })
    }
  }
  return { errors, priced }
}

async function takeHold(
  { inference }: CreateBatchDeps,
  { id, identity }: BatchOrder,
  { costNano, model }: Pick<Checked, 'costNano' | 'model'>,
): Promise<void> {
  const body = { hold_id: id, amount_nano: String(costNano), model: model ?? 'batch' }
  await inference.call(takeBatchHold, { body }, identity).catch((error: unknown) => {
    if (!(error instanceof FleetCallError) || error.code !== 'insufficient_balance') throw error
    throw new ServiceError('insufficient_balance', 'The wallet does not cover the maximum cost of the batch.')
  })
}
