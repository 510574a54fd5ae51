import { getCriterion } from '@ratchet/contracts/criteria'
import type { EvalEstimate, EvalPlan } from '@ratchet/contracts/eval-plan'
import { type CreateEval, loggedBaseline } from '@ratchet/contracts/evals'
import type { Identity } from '@ratchet/contracts/identity'
import { readWallet } from '@ratchet/contracts/internal-wallet'
import { nanoToUsd, usdToNano } from '@ratchet/contracts/money'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { webhookUrlProblem } from '@ratchet/http/check-webhook-url'
import { LoggingIsOff, type LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { type CatalogModel, type ModelCatalog, requireChatModel } from '@ratchet/judge-kit/fleet/model-catalog'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { PromptSource, PromptSurvey } from '../prompts/prompt-source.ts'
import { checkRequest } from './check-request.ts'
import { type EstimatedCost, estimateCost } from './estimate-cost.ts'
import { type EvalJudge, judgeModelsOf } from './eval-run.ts'

export interface PrepareEvalDeps {
  readonly models: ModelCatalog
  readonly judging: Pick<FleetClient, 'call'>
  readonly inference: Pick<FleetClient, 'call'>
  readonly log: Pick<LogReader, 'sample'>
  /** Addresses that workspaces may use as webhooks. */
  readonly webhookRules: BaseUrlRules
  readonly sourceOf: (run: { readonly request: CreateEval; readonly judge: EvalJudge }) => PromptSource
}

export interface RequestedEval {
  readonly identity: Identity
  readonly request: CreateEval
}

/** A checked eval: its frozen judge, the available prompts and the estimated cost. */
export interface PreparedEval {
  readonly judge: EvalJudge
  readonly survey: PromptSurvey
  readonly cost: EstimatedCost
}

/**
 * Checks everything that an eval needs before it is created or estimated.
 *
 * @throws ServiceError naming the wrong field, `logging_disabled`, or `service_unavailable` when a check is impossible now
 */
export async function prepareEval(deps: PrepareEvalDeps, { identity, request }: RequestedEval): Promise<PreparedEval> {
  checkRequest(request)
  checkWebhook(deps.webhookRules, request)
  await requireLogging(deps.log, identity)
  const requireModel = (name: string, param: string) =>
    requireChatModel(deps.models, { identity, name, param }).catch(namingField(param))
  const { baseline_model: baselineName, candidate_models: candidateNames } = request
  const judge = await judgeOf(deps, { identity, request })
  const baseline = baselineName === loggedBaseline ? null : await requireModel(baselineName, 'baseline_model')
  const candidates: CatalogModel[] = []
  for (const [index, name] of candidateNames.entries()) {
    candidates.push(await requireModel(name, `candidate_models.${index}`))
  }
  const judges: CatalogModel[] = []
  for (const [index, name] of askedModelsOf(judge).entries()) {
    judges.push(await requireModel(name, judgeParam(judge, index)))
  }
  const survey = await deps.sourceOf({ request, judge }).survey({ identity, request }).catch(rethrow)
  const cost = estimateCost({
    tokens: survey.tokens,
    repetitions: request.repetitions,
    maxTokens: request.params.max_tokens,
    baseline,
    candidates,
    judge: pricesOfAll(judges),
    rubricBytes: Buffer.byteLength(judge.rubric ?? ''),
    showsReference: request.judging_mode === 'match_reference',
  })
  return { judge, survey, cost }
}

/** The judges that cost something: checks call no model. */
function askedModelsOf(judge: EvalJudge): readonly string[] {
  return judge.checks == null ? judgeModelsOf(judge) : []
}

function judgeParam({ criterionId, panel }: EvalJudge, index: number): string {
  if (criterionId !== null) return 'criterion_id'
  return panel === undefined ? 'judge_model' : `judge_models.${index}`
}

/** Every judge of a panel reads and writes the same number of tokens, so their prices add up. */
function pricesOfAll(judges: readonly CatalogModel[]) {
  const sum = (price: 'inputPerMtok' | 'outputPerMtok') => judges.reduce((total, judge) => total + judge[price], 0)
  return { inputPerMtok: sum('inputPerMtok'), outputPerMtok: sum('outputPerMtok') }
}

/** Adds the field to an error of the catalog, which does not know which field named the model. */
function namingField(param: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ServiceError) || error.code !== 'unknown_provider') throw error
    throw new ServiceError(error.code, error.message, { param, cause: error })
  }
}

function checkWebhook(rules: BaseUrlRules, { webhook_url: url }: CreateEval): void {
  if (url == null) return
  const reason = webhookUrlProblem(url, rules)
  if (reason === null) return
  throw new ServiceError('invalid_request', `\`webhook_url\` is not allowed: ${reason}.`, { param: 'webhook_url' })
}

export function estimateReply({ survey, cost }: PreparedEval, plan: EvalPlan): EvalEstimate {
  return {
    object: 'eval.estimate',
    estimated_cost_usd: cost.answersUsd,
    judge_cost_usd: cost.judgeUsd,
    longest_call_usd: cost.longestCallUsd,
    eligible_prompts: survey.eligible,
    distinct_prompts: survey.distinct,
    sample_count: survey.tokens.length,
    plan,
  }
}

/** @throws ServiceError `insufficient_balance` unless the wallet covers the estimated cost or, if lower, `max_cost_usd` */
export async function requireCovered(
  inference: Pick<FleetClient, 'call'>,
  { identity, request, cost }: RequestedEval & { readonly cost: EstimatedCost },
): Promise<void> {
  const estimate = usdToNano(cost.answersUsd) + usdToNano(cost.judgeUsd)
  const isCapped = request.max_cost_usd != null && usdToNano(request.max_cost_usd) < estimate
  const needed = isCapped ? usdToNano(request.max_cost_usd ?? 0) : estimate
  const wallet = await inference.call(readWallet, {}, identity).catch(rethrow)
  const available = BigInt(wallet.available_nano)
  if (available >= needed && available > 0n) return
  const [balanceUsd, requiredUsd] = [nanoToUsd(available), nanoToUsd(needed)]
  throw new ServiceError(
    'insufficient_balance',
    `The eval needs an estimated $${requiredUsd}; the wallet has $${balanceUsd}. Top up the wallet or lower \`max_cost_usd\`.`,
  )
}

async function requireLogging(log: Pick<LogReader, 'sample'>, identity: Identity): Promise<void> {
  await log.sample(identity, { filters: {}, count: 1, seed: 0 }).catch(rethrow)
}

async function judgeOf({ judging }: PrepareEvalDeps, { identity, request }: RequestedEval): Promise<EvalJudge> {
  const { judge_model: model, judge_models: judges, criterion_id: criterionId, rubric = null } = request
  const [first, ...panel] = judges ?? []
  if (first !== undefined) return { model: first, panel, rubric, criterionId: null, trust: null }
  if (criterionId == null) return { model: model ?? '', rubric, criterionId: null, trust: null }
  const param = 'criterion_id'
  const criterion = await judging.call(getCriterion, { params: { id: criterionId } }, identity).catch((error) => {
    if (!(error instanceof FleetCallError) || error.status !== 404) return rethrow(error)
    throw new ServiceError('not_found', `There is no criterion with the id ${JSON.stringify(criterionId)}.`, {
      param,
      cause: error,
    })
  })
  const isOfRuns = criterion.unit === 'trace'
  if (isOfRuns && request.sample_filters.trace_replay !== true) {
    const message =
      'This criterion judges complete agent runs, and an eval can only have their last answers given again: send `trace_replay`. To compare models on complete runs, use a canary that is sticky by trace.'
    throw new ServiceError('unsupported_unit', message, { param })
  }
  if (criterion.status === 'retired')
    throw new ServiceError('invalid_request', 'The criterion is retired. Use an active one.', { param })
  const { judge_model, judge_prompt, checks, trust, can_act: canAct, cannot_act_reason: reason } = criterion
  const cannotActReason = canAct ? null : (reason ?? 'it may not act')
  const id = uuidOf('criterion', criterion.id)
  const isPicked = criterion.alignment_picked ?? false
  const judge = { model: judge_model, checks, rubric: judge_prompt, criterionId: id, trust, cannotActReason, isPicked }
  return isOfRuns ? { ...judge, unit: 'trace' } : judge
}

function rethrow(error: unknown): never {
  if (error instanceof LoggingIsOff) {
    throw new ServiceError('logging_disabled', 'Evals need request logging, which is turned off in this workspace.', {
      cause: error,
    })
  }
  if (error instanceof FleetCallError && error.mayPass) {
    const message = 'A service that the eval depends on is unavailable. Try again later.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause: error })
  }
  throw error
}
