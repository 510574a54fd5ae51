import type { AfterTraining, CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import type { Identity } from '@ratchet/contracts/identity'
import { usdToNano } from '@ratchet/contracts/money'
import { publicId } from '@ratchet/contracts/public-id'
import type { StartRaftRound } from '@ratchet/contracts/session-raft'
import { type ModelCatalog, requireChatModel } from '@ratchet/judge-kit/fleet/model-catalog'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import { requireJudgeOfEval } from '../after-training/require-judge-of-eval.ts'
import {
  type FoundJudge,
  freezeJudge,
  type JudgeDirectory,
  requireJudge,
  requireProven,
} from '../grpo/rewards/judge-directory.ts'
import { type ChosenModel, requireTrainable } from '../jobs/require-trainable.ts'
import { findWarmStart } from '../jobs/warm-start.ts'
import { type CoverDeps, requireCover } from '../money/require-cover.ts'
import type { ModelDirectory } from '../trainable-models/model-directory.ts'
import { type Beginning, type BeginRoundDeps, beginningOf, type Chain, chainOf, continued } from './begin-round.ts'
import { checkingJob, jobRequestOf } from './job-request.ts'
import type { NewRound, Round } from './round.ts'
import { auditSample, type RoundAudits, roundsWithoutAudit } from './round-audit.ts'
import { type RoundPromptDeps, type RoundPrompts, roundPrompts } from './round-prompts.ts'

export interface PrepareRoundDeps extends BeginRoundDeps, RoundPromptDeps, CoverDeps {
  readonly models: ModelDirectory
  readonly catalog: ModelCatalog
  readonly judges: JudgeDirectory
  readonly audits: Pick<RoundAudits, 'found'>
}

export interface RequestedRound {
  readonly id: string
  readonly identity: Identity
  readonly request: StartRaftRound
  readonly seed: number
  readonly createdAt: Date
}

const maxSamples = 20_000

/** A request that was checked, and what it takes. */
export interface CheckedRound extends RoundPrompts {
  /** With what a chain has decided before. */
  readonly request: StartRaftRound
  readonly seed: number
  readonly last: Round | null
  readonly beginning: Beginning
  readonly job: RoundJob
  readonly judges: readonly FoundJudge[]
}

/**
 * Checks everything that a round needs before it is started or estimated, but not its money.
 *
 * @throws ServiceError naming the wrong field, `criterion_not_trustworthy` or `precondition_failed`
 */
export async function checkRound(
  deps: PrepareRoundDeps,
  order: Pick<RequestedRound, 'identity' | 'request' | 'seed'>,
): Promise<CheckedRound> {
  const { identity } = order
  const chain = await chainOf(deps, order)
  const last = chain?.last ?? null
  const request = last === null ? order.request : continued(order.request, last)
  const seed = last?.settings.seed ?? order.seed
  requirePossible(request)
  const beginning = await beginningOf(deps, { identity, request }, chain)
  const job = await requireJob(deps, { identity, request }, beginning)
  const judges = await judgesOf(deps, { identity, request })
  await requireEval(deps, identity, request.evalBaseline)
  if (chain !== null) await requireAudited(deps, chain)
  const prompts = await roundPrompts(deps, { identity, request, seed, last })
  const answers = prompts.train.length * request.samplesPerPrompt
  if (answers > maxSamples) {
    const message = `A round has at most ${maxSamples} answers; this one would have ${answers}.`
    throw invalidRequest('samplesPerPrompt', message)
  }
  return { ...prompts, request, seed, last, beginning, job, judges }
}

/**
 * Checks everything that a round needs before it is started.
 *
 * @throws ServiceError as above, and `insufficient_balance`
 */
export async function prepareRound(deps: PrepareRoundDeps, order: RequestedRound): Promise<NewRound> {
  const { id, identity, createdAt } = order
  const { request, seed, last, beginning, judges, train, heldOut, ...checked } = await checkRound(deps, order)
  const maxCostNano = usdToNano(request.maxCostUsd)
  await requireCover(deps, { identity, amountNano: maxCostNano, param: 'maxCostUsd' })
  return {
    id,
    workspaceId: identity.workspaceId,
    name: request.name ?? null,
    ...beginning,
    chainId: last?.chainId ?? id,
    roundIndex: last === null ? 0 : last.roundIndex + 1,
    previousRoundId: last?.id ?? null,
    sourceDatasetId: checked.datasetId,
    settings: { request, seed, prompts: train.length },
    judges: judges.map((judge) => freezeJudge(judge, 'reward')),
    warnings: [...checked.warnings, ...evalWarnings(request)],
    maxCostNano,
    createdBy: identity.userId,
    createdAt,
    train,
    heldOut,
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

interface Requested {
  readonly identity: Identity
  readonly request: StartRaftRound
}

/** The training of a round: its settings, on this model. */
interface RoundJob extends ChosenModel {
  readonly request: CreateFineTuningJob
}

/** Refuses a job that would be refused when the answers are paid. */
async function requireJob(
  deps: PrepareRoundDeps,
  { identity, request }: Requested,
  { baseModel }: Beginning,
): Promise<RoundJob> {
  // Its data and what is left of the money are known later.
  const job = jobRequestOf({ request, baseModel, datasetId: '-', maxCostUsd: 1, seed: 0, roundIndex: 0 })
  const { learningRate, learningRateMultiplier } = request.fineTuning?.hyperparameters ?? {}
  if (learningRate != null && learningRateMultiplier != null) {
    const param = 'fineTuning.hyperparameters.learningRate'
    throw invalidRequest(param, `\`${param}\` cannot be used together with \`learningRateMultiplier\`.`)
  }
  return checkingJob(async () => {
    await findWarmStart(deps, identity, job)
    return { ...requireTrainable(await deps.models.list(identity), job), request: job }
  })
}

/** Refuses an eval that would be refused when the model is trained. */
async function requireEval(
  { judges, catalog }: PrepareRoundDeps,
  identity: Identity,
  asked: AfterTraining | null | undefined,
): Promise<void> {
  if (asked == null) return
  if ((asked.criterionId == null) === (asked.judgeModel == null)) {
    throw invalidRequest('evalBaseline', '`evalBaseline` needs either a `criterionId` or a `judgeModel`.')
  }
  await checkingJob(() => requireJudgeOfEval(judges, identity, asked))
  const [baseline, judge] = [asked.evalBaselineModel, asked.judgeModel]
  await requireChatModel(catalog, { identity, name: baseline, param: 'evalBaseline.evalBaselineModel' })
  if (judge != null) await requireChatModel(catalog, { identity, name: judge, param: 'evalBaseline.judgeModel' })
}

export function* evalWarnings({ evalBaseline, criterionId, secondCriterionId }: StartRaftRound): Generator<string> {
  const judge = evalBaseline?.criterionId
  if (judge == null || (judge !== criterionId && judge !== secondCriterionId)) return
  yield 'The eval proves nothing for an adoption, because its judge also chooses what is trained on.'
}

async function judgesOf(deps: PrepareRoundDeps, { identity, request }: Requested): Promise<FoundJudge[]> {
  const { criterionId, secondCriterionId } = request
  if (criterionId == null) throw invalidRequest('criterionId', '`criterionId` is required.')
  if (criterionId === secondCriterionId) {
    throw invalidRequest('secondCriterionId', 'The second judge must be another one.')
  }
  const named = [
    ['criterionId', criterionId],
    ...(secondCriterionId == null ? [] : [['secondCriterionId', secondCriterionId] as const]),
  ] as const
  const judges: FoundJudge[] = []
  for (const [param, id] of named) {
    const judge = await requireJudge(deps.judges, { identity, id, param })
    requireProven(judge, param)
    judges.push(judge)
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
