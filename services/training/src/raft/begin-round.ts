import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { StartRaftRound } from '@ratchet/contracts/session-raft'
import { invalidRequest, notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { requireAdapter, type WarmStartDeps } from '../jobs/warm-start.ts'
import { beatParent } from './curate-round.ts'
import type { Round, RoundKey, RoundStore } from './round.ts'

export interface BeginRoundDeps extends WarmStartDeps {
  readonly rounds: Pick<RoundStore, 'get' | 'doneOfChain'>
  /** What answers as a version of the workspace; null when nothing does. */
  readonly servedAs: (version: RoundKey) => Promise<string | null>
}

/** The rounds that another one follows. */
export interface Chain {
  readonly last: Round
  /** All rounds of the chain that are done. */
  readonly done: readonly Round[]
}

/** Where a round begins: what is trained, and what answers. */
export interface Beginning {
  readonly baseModel: string
  readonly startModel: string
  readonly startVersionId: string | null
}

interface Order {
  readonly identity: Identity
  readonly request: StartRaftRound
}

/**
 * The chain that a round goes on with; null for a first round.
 *
 * @throws ServiceError naming the wrong field
 */
export async function chainOf({ rounds }: BeginRoundDeps, { identity, request }: Order): Promise<Chain | null> {
  const { continueFromRoundId, baseModel, modelVersionId } = request
  const named = [baseModel, modelVersionId, continueFromRoundId].filter((each) => each != null)
  if (named.length !== 1) {
    const fields = '`baseModel`, `modelVersionId` and `continueFromRoundId`'
    throw invalidRequest('baseModel', `Exactly one of ${fields} is required.`)
  }
  if (continueFromRoundId == null) return null
  requireNoneOfFirst(request)
  const param = 'continueFromRoundId'
  const id = uuidOf('raftRound', continueFromRoundId)
  const last = id === null ? null : await rounds.get({ workspaceId: identity.workspaceId, id })
  if (last === null) throw notFound('round', param)
  if (last.status !== 'done')
    throw new ServiceError('conflict', `That round is \`${last.status}\`, not done.`, { param })
  const done = await rounds.doneOfChain(last)
  if (done.some(({ roundIndex }) => roundIndex > last.roundIndex)) {
    throw new ServiceError('conflict', 'The chain has gone on from that round already.', { param })
  }
  return { last, done }
}

/** Fields that a chain has decided with its first round. */
const ofFirst = ['filters', 'holdoutPct'] as const

function requireNoneOfFirst(request: StartRaftRound): void {
  const given = ofFirst.find((field) => request[field] != null)
  if (given === undefined) return
  throw invalidRequest(given, `\`${given}\` is that of the chain, so it cannot be used with \`continueFromRoundId\`.`)
}

/** What a round takes from the one before it. */
export function continued(request: StartRaftRound, { settings }: Round): StartRaftRound {
  const { baseModel, modelVersionId, datasetId, evalDatasetId, filters, holdoutPct, criterionId, secondCriterionId } =
    settings.request
  return {
    ...request,
    baseModel,
    modelVersionId,
    datasetId,
    evalDatasetId,
    filters,
    holdoutPct,
    criterionId,
    secondCriterionId: request.secondCriterionId ?? secondCriterionId,
    fineTuning: request.fineTuning ?? settings.request.fineTuning,
  }
}

/**
 * What a round begins with. A version answers in the next round only if it was better than what it came from.
 *
 * @throws ServiceError naming `modelVersionId`
 */
export async function beginningOf(deps: BeginRoundDeps, order: Order, chain: Chain | null): Promise<Beginning> {
  if (chain !== null) return nextOf(deps, chain.last)
  const { baseModel, modelVersionId: named } = order.request
  if (named == null) return { baseModel: baseModel ?? '', startModel: baseModel ?? '', startVersionId: null }
  const { workspaceId } = order.identity
  const param = 'modelVersionId'
  const version = await requireAdapter(deps.versions, workspaceId, { named, param })
  const startModel = await deps.servedAs({ workspaceId, id: version.id })
  if (startModel === null) {
    const message = 'Nothing serves the version, so it cannot answer. Serve it first.'
    throw new ServiceError('conflict', message, { param })
  }
  return { baseModel: version.baseModel, startModel, startVersionId: version.id }
}

async function nextOf({ servedAs }: BeginRoundDeps, last: Round): Promise<Beginning> {
  const { workspaceId, modelVersionId: id, baseModel, startModel, startVersionId } = last
  const model = id !== null && beatParent(last) ? await servedAs({ workspaceId, id }) : null
  return model === null
    ? { baseModel, startModel, startVersionId }
    : { baseModel, startModel: model, startVersionId: id }
}
