import type { CurateFromLogs } from '@ratchet/contracts/datasets'
import type { Identity } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { SlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { batchesBySize } from '../exchanges/batches-by-size.ts'
import type { ExchangeReads } from '../exchanges/exchange-reads.ts'
import type { ExchangeContent } from '../exchanges/logged-exchange.ts'
import { type BuildOptions, buildExample } from './build-example.ts'
import { type Curation, type CurationSummary, curate, type DropReason } from './curate.ts'
import { type CurationPlaces, type CurationSize, largestCuration, smallCuration } from './curation-places.ts'
import { builtAtOnce, type FrozenContent, type NewDataset, type StoredDataset } from './dataset.ts'
import { type DigestOptions, digestExchange, type ExchangeDigest } from './digest-exchange.ts'
import { curationBatch, type MatchingExchange, matchingExchanges, parseContent } from './matching-exchanges.ts'
import type { DatasetStore } from './pg-datasets.ts'
import type { PlannedExample } from './plan-examples.ts'
import { nothingLeft, unjudgedWarning } from './unjudged.ts'
import type { VerdictsOfLogs } from './verdicts-of-logs.ts'
import { beginDataset, type DatasetWriter, orDiscard } from './write-dataset.ts'

export interface CurateDeps {
  readonly exchanges: ExchangeReads
  readonly datasets: DatasetStore
  readonly verdictsOf: VerdictsOfLogs
  readonly curationPlaces: CurationPlaces
  /** Shared by all curations, and by the bodies of datasets that are parsed. */
  readonly slicedWork: SlicedWork
  readonly now: () => Date
  readonly newId: () => string
  /** Maximum number of earlier answers in all conversations of a curation. */
  readonly maxEarlier?: number
}

export interface CuratedDatasets {
  /** Null after a dry run. */
  readonly dataset: StoredDataset | null
  readonly evalDataset: StoredDataset | null
  readonly summary: CurationSummary
  /** Some exchanges of each reason. */
  readonly droppedIds: Readonly<Record<DropReason, readonly string[]>>
  readonly warnings: readonly string[]
}

interface Order {
  readonly body: CurateFromLogs
  readonly identity: Identity
}

/**
 * Creates a dataset from exchanges of the log, and a second one for evaluation if a holdout is requested.
 *
 * @throws ServiceError 404 for an unknown judge; 400 when too many exchanges match, or none is left for the dataset; 409 when exchanges were
 *   deleted meanwhile; 503 when the workspace has too many curations at once
 */
export async function curateFromLogs(deps: CurateDeps, order: Order): Promise<CuratedDatasets> {
  const { small, large } = deps.curationPlaces
  const { workspaceId } = order.identity
  const { maxEarlier = largestCuration.earlier } = deps
  const fitting = { ...smallCuration, earlier: Math.min(smallCuration.earlier, maxEarlier) }
  try {
    return await small.run(workspaceId, () => curateInPlace(deps, order, fitting))
  } catch (error) {
    if (!(error instanceof LargerThan)) throw error
  }
  const largest = { ...largestCuration, earlier: maxEarlier }
  try {
    return await large.run(workspaceId, () => curateInPlace(deps, order, largest))
  } catch (error) {
    throw error instanceof LargerThan ? tooMany(error.message) : error
  }
}

/** The curation does not fit into its place. `message` names the limit. */
class LargerThan extends Error {
  override name = 'LargerThan'
}

async function curateInPlace(deps: CurateDeps, order: Order, size: CurationSize): Promise<CuratedDatasets> {
  const { body, identity } = order
  // An unknown judge is refused before the log is read.
  if (typeof body.criterion_id === 'string') {
    await deps.verdictsOf({ identity, criterionId: body.criterion_id, ids: [] })
  }
  const digests = await withVerdicts(deps, order, await readDigests(deps, order, size))
  const { seed, holdout_pct: holdoutPct, max_examples: maxExamples } = body
  const curation = await deps.slicedWork.run(
    curate(digests, { seed, holdoutPct, maxExamples: maxExamples ?? undefined }),
  )
  const { summary, droppedIds } = curation
  const warning = body.criterion_id == null ? null : unjudgedWarning(summary, body.criterion_id)
  const counted = { summary, droppedIds, warnings: warning === null ? [] : [warning] }
  if (body.dry_run) return { dataset: null, evalDataset: null, ...counted }
  if (curation.train.length === 0) throw nothingLeft(summary, body.criterion_id ?? null)
  return { ...(await writeBoth(deps, order, curation)), ...counted }
}

/** @throws LargerThan */
async function readDigests(
  { exchanges, slicedWork, now }: CurateDeps,
  { body, identity: { workspaceId } }: Order,
  size: CurationSize,
): Promise<readonly ExchangeDigest[]> {
  const options = { includeTools: body.include_tools, nearDuplicates: body.dedupe === 'near' }
  const digests: ExchangeDigest[] = []
  let earlier = 0
  let bytes = 0
  for await (const some of matchingExchanges(exchanges, { workspaceId, at: now(), filters: body.filters })) {
    if (digests.length + some.length > size.matched) throw new LargerThan(`${size.matched} exchanges`)
    bytes += some.reduce((sum, { row }) => sum + row.sizeBytes, 0)
    if (bytes > size.bytes) throw new LargerThan(`${size.bytes} bytes`)
    const read = await slicedWork.run(digestAll(some, options))
    earlier += read.reduce((sum, digest) => sum + digest.earlier.length, 0)
    if (earlier > size.earlier) throw new LargerThan(`exchanges with ${size.earlier} earlier answers`)
    digests.push(...read)
  }
  return digests
}

function* digestAll(some: readonly MatchingExchange[], options: DigestOptions) {
  const digests: ExchangeDigest[] = []
  for (const { row, content } of some) {
    digests.push(yield* digestExchange({ ...row, ...parseContent(content) }, options))
    yield
  }
  return digests
}

/** Marks exchanges that the judge did not give the requested verdict, and that nothing else excludes. */
async function withVerdicts(
  { verdictsOf }: CurateDeps,
  { body, identity }: Order,
  digests: readonly ExchangeDigest[],
): Promise<readonly ExchangeDigest[]> {
  const { criterion_id: criterionId, verdict: requested } = body
  if (typeof criterionId !== 'string') return digests
  const ids = digests.filter(({ flaw }) => flaw === null).map(({ key }) => key.id)
  const verdicts = await verdictsOf({ identity, criterionId, ids })
  return digests.map((digest) => {
    const verdict = verdicts.get(digest.key.id)
    if (digest.flaw !== null || verdict === (requested ?? 'pass')) return digest
    return { ...digest, flaw: verdict === undefined ? 'judge_unscored' : 'judge_failed' }
  })
}

async function writeBoth(deps: CurateDeps, order: Order, curation: Curation) {
  const train = newDataset(deps, order, 'train')
  const evals = curation.eval.length === 0 ? null : newDataset(deps, order, 'eval')
  const both = evals === null ? [train] : [train, evals]
  return orDiscard(deps.datasets, both, async () => {
    const plans = [curation.train, curation.eval]
    const contents: FrozenContent[] = []
    for (const [index, dataset] of both.entries()) {
      const plan = plans[index] ?? []
      const totals = await writeExamples(deps, order, { writer: await beginDataset(deps.datasets, dataset), plan })
      const segments = [...new Set(plan.map(({ segment }) => segment))].toSorted()
      const siblingId = both[1 - index]?.id ?? null
      contents.push({
        ...totals,
        id: dataset.id,
        name: dataset.name,
        description: dataset.description,
        siblingId,
        segments,
      })
    }
    await deps.datasets.freeze(order.identity, contents, deps.now())
    const [first, second] = both.map(
      (dataset, index) => ({ ...dataset, ...contents[index], building: builtAtOnce }) as StoredDataset,
    )
    return { dataset: first ?? null, evalDataset: second ?? null }
  })
}

function newDataset({ now, newId }: CurateDeps, { body, identity }: Order, kind: 'train' | 'eval'): NewDataset {
  return {
    id: newId(),
    workspaceId: identity.workspaceId,
    name: kind === 'eval' ? `${body.name}-eval` : body.name,
    description: body.description ?? null,
    kind,
    source: 'logs',
    format: 'chat',
    filters: { ...body.filters },
    criterionId: body.criterion_id ?? null,
    holdoutPct: body.holdout_pct,
    createdBy: identity.userId,
    createdAt: now(),
  }
}

interface Writing {
  readonly writer: DatasetWriter
  readonly plan: readonly PlannedExample[]
}

async function writeExamples(
  { exchanges, slicedWork }: CurateDeps,
  { body, identity }: Order,
  { writer, plan }: Writing,
) {
  const options: BuildOptions = { includeTools: body.include_tools, earlierTurnsWeight: body.weight_earlier_turns }
  for (const some of batchesBySize(plan, { ...curationBatch, bytesOf: ({ key }) => key.sizeBytes })) {
    const contents = await exchanges.contents(
      identity,
      some.map(({ key }) => key),
    )
    for (const planned of some) {
      const content = contents.get(planned.key.id)
      const line = content === undefined ? null : await slicedWork.run(buildInTurn(content, planned, options))
      if (line === null) throw changedMeanwhile()
      await writer.add(line, { sourceExchangeId: planned.key.id, foldedTurns: planned.foldedTurns })
    }
  }
  return writer.end()
}

function* buildInTurn(content: ExchangeContent, planned: PlannedExample, options: BuildOptions) {
  yield
  return buildExample(parseContent(content), planned, options)
}

function tooMany(what: string): ServiceError {
  const message = `More than ${what} match. Narrow the filters.`
  return new ServiceError('invalid_request', message, { param: 'filters' })
}

function changedMeanwhile(): ServiceError {
  return new ServiceError('conflict', 'Exchanges were deleted while the dataset was created. Retry.')
}
