import { createHash } from 'node:crypto'
import type { CurateFromEvals, PairCuration } from '@ratchet/contracts/dataset-from-evals'
import { type Eval, type EvalSample, getEval, listEvalSamples } from '@ratchet/contracts/evals'
import type { Identity } from '@ratchet/contracts/identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { invalidRequest, notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { type Redaction, redactKnown } from '../redaction/redact-exchange.ts'
import type { CurateDeps } from './curate-from-logs.ts'
import { builtAtOnce, type NewDataset, type StoredDataset } from './dataset.ts'
import { datasetReply } from './dataset-reply.ts'
import { type ExampleLine, lineOf } from './example-line.ts'
import type { ImportDeps } from './import-dataset.ts'
import { type Pair, pairOf } from './pairs.ts'
import { splitHoldout } from './split-holdout.ts'
import { beginDataset, orDiscard } from './write-dataset.ts'

export interface FromEvalsDeps
  extends Pick<CurateDeps, 'datasets' | 'now' | 'newId' | 'slicedWork'>,
    Pick<ImportDeps, 'redactor'> {
  readonly evals: Pick<FleetClient, 'call'>
}

interface Order {
  readonly body: CurateFromEvals
  readonly identity: Identity
}

/** Few, because each may have a megabyte. */
const samplesAtOnce = 40
/** Characters of pairs, as JSON: all of them are in memory, more than once. */
const maxCharacters = 32_000_000

/**
 * Makes a dataset of the pairs of answers that evals decided, and one of those that are held out.
 *
 * @throws ServiceError `not_found`, `conflict` for an eval that is not DONE, `precondition_failed` for one whose judge was not
 *   consistent enough, and 400 when nothing remains
 */
export async function curateFromEvals(deps: FromEvalsDeps, { body, identity }: Order): Promise<PairCuration> {
  const dropped = { tie: 0, inconsistent: 0, other_outcome: 0, no_answer: 0, deleted: 0, duplicate: 0 }
  const pairs = new Map<string, Pair>()
  let [matched, characters] = [0, 0]
  for (const [index, id] of body.eval_ids.entries()) {
    const { candidate } = await requireEval(deps, { body, identity }, { index, id })
    for await (const sample of samplesOf(deps, identity, id)) {
      matched += 1
      const result = pairOf(sample, candidate, body.outcomes)
      if (result.kind === 'dropped') dropped[result.reason] += 1
      else {
        const text = JSON.stringify(result.pair)
        if (pairs.has(text)) dropped.duplicate += 1
        else characters += text.length
        pairs.set(text, result.pair)
        if (characters > maxCharacters) throw tooLong()
      }
    }
  }
  if (pairs.size === 0) {
    const message = 'No sample of these evals was decided with both answers, so there is no pair.'
    throw new ServiceError('invalid_request', message, { param: 'eval_ids', details: { matched, dropped } })
  }
  const held = await heldOut(deps, [...pairs.values()], body)
  const { sides, redaction } = await write(deps, { body, identity }, { pairs, held })
  const [dataset, evalDataset = null] = sides
  if (dataset === undefined) throw new Error('A curation has a dataset.')
  return {
    object: 'dataset.curation',
    dataset: datasetReply(dataset),
    eval_dataset: evalDataset === null ? null : datasetReply(evalDataset),
    summary: { matched, dropped, train_count: dataset.exampleCount, eval_count: evalDataset?.exampleCount ?? 0 },
    redaction: { count: redaction.count, kinds: [...redaction.kinds] },
  }
}

function tooLong(): ServiceError {
  const message = `The pairs of these evals have more than ${maxCharacters / 1_000_000} MB. Name fewer evals.`
  return invalidRequest('eval_ids', message)
}

async function requireEval(
  { evals }: FromEvalsDeps,
  { body, identity }: Order,
  { index, id }: { readonly index: number; readonly id: string },
): Promise<{ readonly candidate: string }> {
  const param = `eval_ids.${index}`
  const found = await evals.call(getEval, { params: { id } }, identity).catch((error: unknown) => {
    if (error instanceof FleetCallError && error.status === 404) throw notFound('eval', param)
    return rethrow(error)
  })
  if (found.status !== 'DONE') throw new ServiceError('conflict', `The eval ${id} is ${found.status}.`, { param })
  const candidate = candidateOf(found, body, param)
  const rate = found.report?.candidates[candidate]?.consistency_rate ?? 0
  if (rate >= body.min_consistency) return { candidate }
  const message = `The judge of ${id} decided ${(100 * rate).toFixed(0)} % of the samples the same in both orders; \`min_consistency\` asks for more.`
  throw new ServiceError('precondition_failed', message, { param, details: { eval_id: id, consistency_rate: rate } })
}

function candidateOf({ candidate_models: models }: Eval, { candidate }: CurateFromEvals, param: string): string {
  const [only] = models
  if (candidate == null && models.length === 1 && only !== undefined) return only
  if (candidate != null && models.includes(candidate)) return candidate
  const message = `\`candidate\` must be one of ${models.join(', ')}, for \`${param}\`.`
  throw invalidRequest('candidate', message)
}

async function* samplesOf({ evals }: FromEvalsDeps, identity: Identity, id: string): AsyncGenerator<EvalSample> {
  for (let offset = 0; ; offset += samplesAtOnce) {
    const query = { limit: samplesAtOnce, offset }
    const page = await evals.call(listEvalSamples, { params: { id }, query }, identity).catch(rethrow)
    yield* page.data
    if (!page.has_more) return
  }
}

/** The conversations that are held out, by the hash of their beginning. */
function heldOut(
  { slicedWork }: FromEvalsDeps,
  pairs: readonly Pair[],
  { holdout_pct: holdoutPct, seed }: CurateFromEvals,
) {
  const sizes = new Map<string, number>()
  for (const pair of pairs) sizes.set(rootOf(pair), (sizes.get(rootOf(pair)) ?? 0) + 1)
  return slicedWork.run(splitHoldout(sizes, { holdoutPct, seed }))
}

/** The same for pairs whose messages are equal up to the first one of the user. */
function rootOf({ input: { messages } }: Pair): string {
  const first = messages.findIndex((message) => (message as { readonly role?: unknown }).role === 'user')
  const root = messages.slice(0, first === -1 ? messages.length : first + 1)
  return createHash('sha256').update(JSON.stringify(root)).digest('hex')
}

interface Split {
  readonly pairs: ReadonlyMap<string, Pair>
  readonly held: ReadonlySet<string>
}

async function write(deps: FromEvalsDeps, { body, identity }: Order, { pairs, held }: Split) {
  const { datasets, now, newId } = deps
  const { lines, redaction } = await redacted(deps, identity.workspaceId, pairs)
  const clean = redactKnown({ description: body.description ?? null }, { name: body.name })
  const { eval_ids, outcomes, min_consistency } = body
  const filters = {
    eval_ids,
    outcomes,
    min_consistency,
    ...(body.candidate == null ? {} : { candidate: body.candidate }),
  }
  const sides = [false, true]
    .map((isHeld) => lines.filter((line) => held.has(line.root) === isHeld))
    .filter((side) => side.length > 0)
  const news = sides.map(
    (_, index): NewDataset => ({
      id: newId(),
      workspaceId: identity.workspaceId,
      ...clean.content,
      name: index === 0 ? clean.identifiers.name : `${clean.identifiers.name}-eval`,
      kind: index === 0 ? 'train' : 'eval',
      source: 'evals',
      format: 'preference',
      filters,
      criterionId: null,
      holdoutPct: body.holdout_pct,
      createdBy: identity.userId,
      createdAt: now(),
    }),
  )
  const stored = await orDiscard(datasets, news, async () => {
    const contents: StoredDataset[] = []
    for (const [index, dataset] of news.entries()) {
      const writer = await beginDataset(datasets, dataset)
      for (const line of sides[index] ?? []) await writer.add(line, { sourceExchangeId: null, foldedTurns: 0 })
      const siblingId = news[1 - index]?.id ?? null
      contents.push({ ...dataset, ...(await writer.end()), siblingId, segments: [], building: builtAtOnce })
    }
    await datasets.freeze(identity, contents, now())
    return contents
  })
  return { sides: stored, redaction }
}

/** In the order of their hashes, so that the same pairs have the same SHA-256. */
async function redacted({ redactor }: FromEvalsDeps, workspaceId: string, pairs: ReadonlyMap<string, Pair>) {
  const entries = [...pairs]
  const done = await redactor.examples(
    workspaceId,
    entries.map(([text]) => text),
  )
  const kinds = new Set<Redaction['kinds'][number]>()
  let count = 0
  const lines = entries.map(([text, pair], index): ExampleLine & { readonly root: string } => {
    const result = done[index]
    if (result?.kind !== 'done') throw new ServiceError('invalid_request', 'An example could not be redacted.')
    count += result.value.redaction.count
    for (const kind of result.value.redaction.kinds) kinds.add(kind)
    return { ...lineOf(result.value.text ?? text), root: rootOf(pair) }
  })
  lines.sort((left, right) => (left.sha256 < right.sha256 ? -1 : 1))
  return { lines, redaction: { count, kinds: [...kinds].toSorted() } }
}

function rethrow(cause: unknown): never {
  if (!(cause instanceof FleetCallError) || !cause.mayPass) throw cause
  throw new ServiceError('service_unavailable', 'Evals cannot be read at the moment.', { retryAfterSeconds: 1, cause })
}
