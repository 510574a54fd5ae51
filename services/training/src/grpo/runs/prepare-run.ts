import type { CreateGrpoRun } from '@ratchet/contracts/grpo-body'
import type { Identity } from '@ratchet/contracts/identity'
import { minAuditGrades } from '@ratchet/contracts/model-versions'
import { usdToNano } from '@ratchet/contracts/money'
import type { ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import { requireChatModel } from '@ratchet/judge-kit/fleet/model-catalog'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import { requireJudgeOfEval } from '../../after-training/require-judge-of-eval.ts'
import type { ToolCalls } from '../../environment-tools/tool-calls.ts'
import { requireAdapter, type StartVersion, type WarmStartDeps } from '../../jobs/warm-start.ts'
import type { ModelDirectory } from '../../trainable-models/model-directory.ts'
import { type BaseModel, type GrpoPrices, retirementWarnings } from '../../trainable-models/trainable-model.ts'
import {
  type FoundJudge,
  freezeJudge,
  type JudgeDirectory,
  requireJudge,
  requireProven,
} from '../rewards/judge-directory.ts'
import { modelFamily } from '../rewards/model-family.ts'
import { rewardOf } from '../rewards/reward-of.ts'
import { estimateRun, judgingCapNano, type RunEstimate } from './estimate-run.ts'
import { type PromptDataDeps, readPromptData } from './prompt-data.ts'
import type { PromptParts } from './read-prompts.ts'
import { requireReferences } from './require-references.ts'
import type { FrozenJudge, RunHoldout, RunSettings } from './run-settings.ts'

export interface PrepareRunDeps extends WarmStartDeps, PromptDataDeps {
  readonly models: ModelDirectory
  readonly catalog: ModelCatalog
  readonly judges: JudgeDirectory
  readonly toolCalls: Pick<ToolCalls, 'check'>
}

export interface RequestedRun {
  readonly identity: Identity
  readonly request: CreateGrpoRun
  readonly seed: number
}

/** A checked request. */
export interface PreparedRun {
  readonly model: BaseModel
  readonly trainer: string
  /** UUID of the version that it is trained from. */
  readonly warmStartId: string | null
  readonly prices: GrpoPrices
  readonly datasetId: string
  readonly datasetSha256: string
  readonly evalDatasetId: string | null
  readonly parts: PromptParts
  readonly promptsSha256: string
  readonly settings: RunSettings
  readonly judges: readonly FrozenJudge[]
  readonly estimate: RunEstimate
  readonly maxCostNano: bigint
  readonly judgingCapNano: bigint
  readonly warnings: readonly string[]
}

/** US dollars of a verdict whose price is not known. */
const assumedVerdictUsd = 0.001

/**
 * Checks everything that a run needs before it is created or estimated.
 *
 * @throws ServiceError naming the wrong field, `model_not_trainable`, `invalid_training_data`, or `criterion_not_trustworthy`
 */
export async function prepareRun(deps: PrepareRunDeps, order: RequestedRun): Promise<PreparedRun> {
  const { identity, request } = order
  const { warmStartFrom: named } = request
  const start =
    named == null ? null : await requireAdapter(deps.versions, identity.workspaceId, { named, param: 'warmStartFrom' })
  const { model, trainer, prices, loraRank } = requireModel(await deps.models.list(identity), request, start)
  const toolNames = await requireTools(deps, order)
  const rewardJudges = await judgesOf(deps, order)
  await requireJudgeOfEval(deps.judges, identity, request.afterTraining)
  const holdout = await holdoutOf(deps, order, rewardJudges)
  const data = await readPromptData(deps, { ...request, ...order, lookPrompts: request.holdout.prompts })
  const { parts, warnings } = data
  requireReferences(request.reward, parts)
  const settings = settingsOf(order, { model, loraRank, rewardJudges, toolNames, holdout, parts })
  const maxCostNano = usdToNano(request.maxCostUsd)
  const verdictUsd = ({ verdictUsd: usd }: FoundJudge) => usd ?? assumedVerdictUsd
  const estimate = estimateRun(settings, {
    prices,
    rewardUsd: rewardJudges.map(verdictUsd),
    holdoutUsd: holdout.found.map(verdictUsd),
  })
  const cap = judgingCapNano(estimate, maxCostNano)
  if (cap >= maxCostNano) throw invalidRequest('maxCostUsd', '`maxCostUsd` is too small for a run.')
  return {
    model,
    trainer,
    warmStartId: start?.id ?? null,
    prices,
    datasetId: data.datasetId,
    datasetSha256: data.datasetSha256,
    evalDatasetId: data.evalDatasetId,
    parts,
    promptsSha256: data.sha256,
    settings,
    judges: [...rewardJudges.map((judge) => freezeJudge(judge, 'reward')), ...holdout.judges],
    estimate,
    maxCostNano,
    judgingCapNano: cap,
    warnings: [
      ...warnings,
      ...retirementWarnings(model),
      ...warningsOf(order, { settings, estimate, maxCostNano, holdout }),
    ],
  }
}

const defaultRank = 16
/** Trainers that let the model call tools: their engines are ours, and those of providers are not. */
const toolTrainers: ReadonlySet<string> = new Set(['sim', 'process', 'kubernetes'])

function requireModel(
  models: readonly BaseModel[],
  { baseModel, trainer, hyperparameters, environment }: CreateGrpoRun,
  start: StartVersion | null,
) {
  const name = start?.baseModel ?? baseModel
  const model = models.find(({ id }) => id === name)
  if (model === undefined || model.grpo === null) {
    const trainable = models.filter(({ grpo }) => grpo !== null).map(({ id }) => id)
    const message = `No trainer offers ${JSON.stringify(name)} with the method \`grpo\`.`
    throw new ServiceError('model_not_trainable', message, {
      param: start === null ? 'baseModel' : 'warmStartFrom',
      details: { trainable },
    })
  }
  const usable = environment == null ? model.trainers : model.trainers.filter((each) => toolTrainers.has(each))
  if (environment != null && (usable.length === 0 || !model.supportsTools)) {
    throw invalidRequest('environment', `No trainer lets ${model.id} call tools.`)
  }
  const chosen = trainer === 'auto' ? usable[0] : trainer
  if (chosen === undefined || !usable.includes(chosen)) {
    throw invalidRequest('trainer', `\`trainer\` must be \`auto\` or one of: ${usable.join(', ')}.`)
  }
  const loraRank = hyperparameters.loraRank ?? start?.rank ?? defaultRank
  const param = 'hyperparameters.loraRank'
  if (start !== null && loraRank !== start.rank) {
    throw invalidRequest(param, `\`${param}\` must be ${start.rank}, the rank of \`warmStartFrom\`.`)
  }
  if (start === null && !model.loraRanks.includes(loraRank)) {
    throw invalidRequest(param, `\`${param}\` must be one of: ${model.loraRanks.join(', ')}.`)
  }
  const { maxContextLength: context } = hyperparameters
  if (context != null && context > model.maxContext) {
    const param = 'hyperparameters.maxContextLength'
    throw invalidRequest(param, `\`${param}\` must be at most ${model.maxContext} for ${model.id}.`)
  }
  return { model, trainer: chosen, prices: model.grpo, loraRank }
}

/** @returns the names of those that reward */
async function requireTools({ toolCalls }: PrepareRunDeps, { identity, request }: RequestedRun) {
  const { environment, reward } = request
  if (environment != null) {
    const { toolIds, onMiss = null } = environment
    await toolCalls.check(identity, toolIds, { use: 'tool', param: 'environment.toolIds', onMiss })
  }
  const graders = reward.tools.map(({ environmentToolId: id }) => id)
  return await toolCalls.check(identity, graders, { use: 'reward', param: 'reward.tools' })
}

async function judgesOf({ judges }: PrepareRunDeps, { identity, request }: RequestedRun): Promise<FoundJudge[]> {
  const found: FoundJudge[] = []
  for (const [index, { criterionId }] of request.reward.criteria.entries()) {
    const param = `reward.criteria.${index}.criterionId`
    const judge = await requireJudge(judges, { identity, id: criterionId, param })
    requireProven(judge, param)
    found.push(judge)
  }
  return found
}

interface Holdout {
  readonly settings: RunHoldout
  readonly judges: readonly FrozenJudge[]
  /** As many as judges; their prices are those of one verdict. */
  readonly found: readonly FoundJudge[]
}

async function holdoutOf(
  deps: PrepareRunDeps,
  { identity, request }: RequestedRun,
  rewardJudges: readonly FoundJudge[],
): Promise<Holdout> {
  const { criterionId, judgeModel, ...rules } = request.holdout
  const settings = { ...rules, criterionId: null, judgeModel: judgeModel ?? null }
  if (criterionId != null) {
    const param = 'holdout.criterionId'
    const judge = await requireJudge(deps.judges, { identity, id: criterionId, param })
    requireProven(judge, param)
    return {
      settings: { ...settings, criterionId: judge.criterionId },
      judges: [freezeJudge(judge, 'holdout')],
      found: [judge],
    }
  }
  if (judgeModel == null) return { settings, judges: [], found: [] }
  const param = 'holdout.judgeModel'
  const model = await requireChatModel(deps.catalog, { identity, name: judgeModel, param })
  const kin = rewardJudges.find((judge) => modelFamily(judge.judgeModel) === modelFamily(model.id))
  if (kin !== undefined) {
    throw invalidRequest(
      param,
      `\`${param}\` must be of another family than ${kin.judgeModel}, which it would share its errors with.`,
    )
  }
  // Its own error rates are not known; those of the proven judge are assumed, so that equal gains look equal.
  const judges = rewardJudges.map((judge) =>
    freezeJudge(
      { ...judge, judgeModel: model.id, checks: null, trust: 'unmeasured', tprCi: null, tnrCi: null },
      'holdout',
    ),
  )
  return { settings, judges, found: rewardJudges }
}

interface Parts {
  readonly model: BaseModel
  readonly loraRank: number
  readonly rewardJudges: readonly FoundJudge[]
  /** Of the tools that reward. */
  readonly toolNames: readonly string[]
  readonly holdout: Holdout
  readonly parts: PromptParts
}

function settingsOf({ request }: RequestedRun, given: Parts): RunSettings {
  const { model, loraRank, rewardJudges, toolNames, holdout, parts } = given
  const { hyperparameters: asked, stopOnRewardPlateau: plateau } = request
  return {
    base_model: {
      id: model.id,
      source: model.source,
      sha256: model.sourceSha256,
      chat_template_sha256: model.chatTemplateSha256,
    },
    hyperparameters: {
      group_size: asked.groupSize,
      prompts_per_step: Math.min(asked.promptsPerStep, parts.train.length),
      max_steps: asked.maxSteps,
      learning_rate: asked.learningRate,
      kl_beta: asked.klBeta,
      lora_rank: loraRank,
      lora_alpha: asked.loraAlpha ?? loraRank,
      temperature: asked.temperature,
      top_p: asked.topP,
      max_output_tokens: asked.maxOutputTokens,
      max_context_length: asked.maxContextLength ?? model.maxContext,
      loss_method: asked.lossMethod,
      mask_truncated: asked.maskTruncated,
      importance_cap: asked.importanceCap,
    },
    resampleZeroVariance: asked.resampleZeroVariance,
    checkpointEverySteps: asked.checkpointEverySteps,
    reward: rewardOf(request.reward, { judges: rewardJudges, toolNames }),
    environment: request.environment ?? null,
    holdout: holdout.settings,
    auditSample: request.humanAudit.sample,
    plateau: plateau ?? null,
    prompts: { train: parts.train.length, guard: parts.guard.length, proof: parts.proof.length },
  }
}

interface Warned {
  readonly settings: RunSettings
  readonly estimate: RunEstimate
  readonly maxCostNano: bigint
  readonly holdout: Holdout
}

function* warningsOf(
  { request }: RequestedRun,
  { settings, estimate, maxCostNano, holdout }: Warned,
): Generator<string> {
  if (holdout.judges.length === 0) {
    yield 'No judge is held out: only grades of people can show that the reward is exploited.'
  }
  if (settings.holdout.judgeModel !== null) {
    yield 'The errors of the hold-out model are not known. It is compared as if they were those of the judges of the reward.'
  }
  const audited = Math.min(settings.auditSample, settings.prompts.guard)
  if (audited < minAuditGrades) {
    yield `An audit has ${audited} answers, one to a prompt of a look, and an adoption asks for ${minAuditGrades} that people have graded. Hold out more prompts.`
  }
  if (request.hyperparameters.topP !== 1) {
    yield 'With `topP` below 1 the importance weights of answers are wrong.'
  }
  if (request.hyperparameters.klBeta === 0) yield 'With `klBeta` 0 nothing keeps the policy near its start.'
  if (maxCostNano < estimate.totalNano) {
    yield 'The run will end before all steps, because `maxCostUsd` is less than the estimated cost.'
  }
}
