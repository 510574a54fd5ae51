import type { Identity } from '@ratchet/contracts/identity'
import { usdToNano } from '@ratchet/contracts/money'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import type { StartRaftRound } from '@ratchet/contracts/session-raft'
import { invalidRequest, notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { freezeJudge, type JudgeDirectory, requireJudge, requireProven } from '../grpo/rewards/judge-directory.ts'
import { type PromptDataDeps, readPromptData } from '../grpo/runs/prompt-data.ts'
import type { FrozenJudge } from '../grpo/runs/run-settings.ts'
import { type CoverDeps, requireCover } from '../money/require-cover.ts'
import type { ModelDirectory } from '../trainable-models/model-directory.ts'
import { beatParent } from './curate-round.ts'
import type { NewRound, Round, RoundStore } from './round.ts'
import { auditSample, type RoundAudits, roundsWithoutAudit } from './round-audit.ts'

export interface PrepareRoundDeps extends PromptDataDeps, CoverDeps {
  readonly models: ModelDirectory
  readonly judges: JudgeDirectory
  readonly rounds: Pick<RoundStore, 'get' | 'doneOfChain'>
  readonly audits: Pick<RoundAudits, 'found'>
  /** What answers as a version of the workspace; null when nothing does. */
  readonly servedAs: (version: { readonly workspaceId: string; readonly id: string }) => Promise<string | null>
}

export interface RequestedRound {
  readonly id: string
  readonly identity: Identity
  readonly request: StartRaftRound
  readonly seed: number
  readonly createdAt: Date
}

const maxPrompts = 2_000
const maxHeldOut = 100
const maxSamples = 20_000

/**
 * Checks everything that a round needs before it is started.
 *
 * @throws ServiceError naming the wrong field, `criterion_not_trustworthy`, `precondition_failed`, or `insufficient_balance`
 */
export async function prepareRound(deps: PrepareRoundDeps, order: RequestedRound): Promise<NewRound> {
  const { id, identity, createdAt } = order
  const chain = await chainOf(deps, order)
  const request = chain === null ? order.request : continued(order.request, chain.last)
  const seed = chain?.last.settings.seed ?? order.seed
  requirePossible(request)
  const baseModel = await requireTrainable(deps, identity, request)
  const judges = await judgesOf(deps, { identity, request })
  if (chain !== null) await requireAudited(deps, chain)
  const { parts, datasetId, warnings } = await promptsOf(deps, { identity, request, seed })
  const train = parts.train.slice(0, maxPrompts)
  if (train.length * request.samplesPerPrompt > maxSamples) {
    throw invalidRequest(
      'samplesPerPrompt',
      `A round has at most ${maxSamples} answers; this one would have ${train.length * request.samplesPerPrompt}.`,
    )
  }
  const maxCostNano = usdToNano(request.maxCostUsd)
  await requireCover(deps, { identity, amountNano: maxCostNano, param: 'maxCostUsd' })
  const start = chain === null ? null : await startOf(deps, chain.last)
  return {
    id,
    workspaceId: identity.workspaceId,
    name: request.name ?? null,
    baseModel,
    startModel: start?.model ?? baseModel,
    startVersionId: start?.versionId ?? null,
    chainId: chain?.last.chainId ?? id,
    roundIndex: chain === null ? 0 : chain.last.roundIndex + 1,
    previousRoundId: chain?.last.id ?? null,
    sourceDatasetId: datasetId,
    settings: { request, seed, prompts: train.length },
    judges,
    warnings,
    maxCostNano,
    createdBy: identity.userId,
    createdAt,
    train,
    heldOut: [...parts.guard, ...parts.proof].slice(0, maxHeldOut),
  }
}

interface Chain {
  readonly last: Round
  /** All rounds of the chain that are done. */
  readonly done: readonly Round[]
}

async function chainOf({ rounds }: PrepareRoundDeps, { identity, request }: RequestedRound): Promise<Chain | null> {
  const { continueFromRoundId, baseModel } = request
  if ((continueFromRoundId == null) === (baseModel == null)) {
    throw invalidRequest('baseModel', 'Exactly one of `baseModel` and `continueFromRoundId` is required.')
  }
  if (continueFromRoundId == null) return null
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

/** What a round takes from the one before it. */
function continued(request: StartRaftRound, { settings, baseModel }: Round): StartRaftRound {
  const { datasetId, evalDatasetId, criterionId, secondCriterionId } = settings.request
  return {
    ...request,
    baseModel,
    datasetId,
    evalDatasetId,
    criterionId,
    secondCriterionId: request.secondCriterionId ?? secondCriterionId,
  }
}

/** Refuses settings with which no prompt can be used, whatever is answered. */
function requirePossible({ samplesPerPrompt, minPassesPerPrompt, dropAllPass }: StartRaftRound): void {
  const most = dropAllPass ? samplesPerPrompt - 1 : samplesPerPrompt
  if (minPassesPerPrompt <= most) return
  const why = dropAllPass ? ', because prompts of which every answer passes are left out (`dropAllPass`)' : ''
  const message = `With ${samplesPerPrompt} answers to a prompt, \`minPassesPerPrompt\` must be at most ${most}${why}.`
  throw invalidRequest('minPassesPerPrompt', message)
}

async function requireTrainable({ models }: PrepareRoundDeps, identity: Identity, { baseModel }: StartRaftRound) {
  const list = await models.list(identity)
  const model = list.find(({ id }) => id === baseModel)
  if (model?.prices.has('supervised') === true) return model.id
  const trainable = list.filter(({ prices }) => prices.has('supervised')).map(({ id }) => id)
  const message = `No trainer offers ${JSON.stringify(baseModel)}.`
  throw new ServiceError('model_not_trainable', message, { param: 'baseModel', details: { trainable } })
}

interface JudgesOrder {
  readonly identity: Identity
  readonly request: StartRaftRound
}

async function judgesOf(deps: PrepareRoundDeps, { identity, request }: JudgesOrder): Promise<FrozenJudge[]> {
  const { criterionId, secondCriterionId } = request
  if (criterionId == null) throw invalidRequest('criterionId', '`criterionId` is required.')
  if (criterionId === secondCriterionId) {
    throw invalidRequest('secondCriterionId', 'The second judge must be another one.')
  }
  const named = [
    ['criterionId', criterionId],
    ...(secondCriterionId == null ? [] : [['secondCriterionId', secondCriterionId] as const]),
  ] as const
  const judges: FrozenJudge[] = []
  for (const [param, id] of named) {
    const judge = await requireJudge(deps.judges, { identity, id, param })
    requireProven(judge, param)
    judges.push(freezeJudge(judge, 'reward'))
  }
  return judges
}

/** A judge was calibrated on other answers than those that a chain has led to. */
async function requireAudited({ audits }: PrepareRoundDeps, { last, done }: Chain): Promise<void> {
  const found = await audits.found(
    last.workspaceId,
    done.map(({ id }) => id),
  )
  const since = roundsWithoutAudit(done, found)
  if (since === null) return
  const message = `The chain has had ${since} rounds since people last graded what it was trained on. Grade the answers of \`GET /v1/raft/rounds/${publicId('raftRound', last.id)}/audit\`: the chain goes on when ${auditSample} are graded and at most 2 of them failed.`
  throw new ServiceError('precondition_failed', message, { param: 'continueFromRoundId' })
}

interface PromptsOrder {
  readonly identity: Identity
  readonly request: StartRaftRound
  readonly seed: number
}

async function promptsOf(deps: PrepareRoundDeps, { identity, request, seed }: PromptsOrder) {
  const { datasetId, evalDatasetId } = request
  if (datasetId == null) throw invalidRequest('datasetId', '`datasetId` is required.')
  return readPromptData(deps, { identity, datasetId, evalDatasetId, seed, lookPrompts: 1 })
}

/** A version answers in the next round only if it was better than what it came from. */
async function startOf({ servedAs }: PrepareRoundDeps, last: Round) {
  const { workspaceId, modelVersionId: id, startModel, startVersionId } = last
  const model = id !== null && beatParent(last) ? await servedAs({ workspaceId, id }) : null
  return model === null ? { model: startModel, versionId: startVersionId } : { model, versionId: id }
}
