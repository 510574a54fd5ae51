import type { FineTuningEstimate, TrainingDataReport } from '@ratchet/contracts/fine-tuning'
import type { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import type { Identity } from '@ratchet/contracts/identity'
import { nanoToUsd, usdToNano } from '@ratchet/contracts/money'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { requireJudgeOfEval } from '../after-training/require-judge-of-eval.ts'
import { type DataReading, maxSmallBytes } from '../data/data-reading.ts'
import { estimateTokens } from '../data/estimate-tokens.ts'
import { prepareData } from '../data/prepare-data.ts'
import type { CountTokens } from '../data/read-example.ts'
import type { SourceReader } from '../data/source-reader.ts'
import { maxSurveyedBytes, maxTrainingBytes, type SourceFacts, type TrainingSource } from '../data/training-source.ts'
import type { JudgeDirectory } from '../grpo/rewards/judge-directory.ts'
import { jobCostNano } from '../money/job-cost.ts'
import type { ModelDirectory } from '../trainable-models/model-directory.ts'
import type { Occupancy } from '../trainable-models/routes.ts'
import { retirementWarnings } from '../trainable-models/trainable-model.ts'
import type { JobSettings } from './job.ts'
import { type ChosenModel, requireTrainable } from './require-trainable.ts'
import { hyperparametersOf, planOf, requestedOf, sequenceLengthOf } from './resolve-settings.ts'
import { findWarmStart, type WarmStart, type WarmStartDeps } from './warm-start.ts'

export interface PrepareJobDeps extends WarmStartDeps {
  readonly models: ModelDirectory
  readonly sources: SourceReader
  readonly reading: DataReading
  readonly judges: JudgeDirectory
  readonly occupancy: () => Promise<Occupancy>
  readonly countTokens?: CountTokens
}

export interface RequestedJob {
  readonly identity: Identity
  readonly request: CreateFineTuningJob
  /** Decides which examples are validated with, when the request names no data for it. */
  readonly seed: number
}

/** A checked request: its model, its data, and what the job would cost. */
export interface PreparedJob extends ChosenModel {
  /** The version that it is trained from; null: from its model. */
  readonly warmStart: WarmStart | null
  readonly training: SourceFacts
  readonly validation: (SourceFacts & Pick<TrainingSource, 'kind'>) | null
  /** Null when the data is too large to be read while a user waits. */
  readonly report: TrainingDataReport | null
  readonly settings: JobSettings
  readonly estimatedCostNano: bigint
  readonly maxCostNano: bigint | null
  /** The estimate with room for its error, or the maximum cost if that is less. */
  readonly holdNano: bigint
  readonly warnings: readonly string[]
}

/** Room of a hold above the estimate, percent. */
const holdRoomPercent = 15n

/**
 * Checks everything that a job needs before it is created or estimated.
 *
 * @throws ServiceError naming the wrong field, `model_not_trainable`, or `invalid_training_data` with the report of the data
 */
export async function prepareJob(deps: PrepareJobDeps, order: RequestedJob): Promise<PreparedJob> {
  const { identity } = order
  const warmStart = await findWarmStart(deps, identity, order.request)
  const request = warmStart === null ? order.request : warmStart.requestOf(order.request)
  const chosen = requireTrainable(await deps.models.list(identity), request)
  await requireJudgeOfEval(deps.judges, identity, request.afterTraining)
  const source = trainingSourceOf(request)
  const training = await deps.sources.facts(identity, source)
  requireSize(training, source)
  const validation = await findValidation(deps, order, training)
  const survey = await surveyOf(deps, order, { chosen, source, training, validation })
  const resolved = hyperparametersOf(request, chosen.model, survey.examples)
  const hyperparameters = warmStart === null ? resolved : { ...resolved, lora_rank: warmStart.rank }
  const plan = planOf(request, hyperparameters, survey)
  const estimatedCostNano = jobCostNano(BigInt(plan.total_tokens), chosen.priceNanoPerMtok)
  const maxCostNano = request.maxCostUsd == null ? null : usdToNano(request.maxCostUsd)
  const { id, source: weights, sourceSha256, chatTemplateSha256 } = chosen.model
  const baseModel = { id, source: weights, sha256: sourceSha256, chat_template_sha256: chatTemplateSha256 }
  return {
    ...chosen,
    warmStart,
    training,
    validation: validation === null ? null : { ...validation.facts, kind: validation.source.kind },
    report: survey.report,
    settings: { base_model: baseModel, hyperparameters, plan },
    estimatedCostNano,
    maxCostNano,
    holdNano: holdOf(estimatedCostNano, maxCostNano),
    warnings: [
      ...survey.warnings,
      ...costWarnings(estimatedCostNano, maxCostNano),
      ...retirementWarnings(chosen.model),
    ],
  }
}

function trainingSourceOf({ datasetId, trainingFile }: CreateFineTuningJob): TrainingSource {
  if (datasetId != null) return { kind: 'dataset', id: datasetId, param: 'datasetId' }
  return { kind: 'file', id: trainingFile ?? '', param: 'trainingFile' }
}

interface Validation {
  readonly source: TrainingSource
  readonly facts: SourceFacts
}

/** What the request names, else what was held out from the dataset; null: a part of the training data. */
async function findValidation(
  { sources }: PrepareJobDeps,
  { identity, request }: RequestedJob,
  { siblingId }: SourceFacts,
): Promise<Validation | null> {
  const named = namedValidation(request)
  const source = named ?? (siblingId === null ? null : { kind: 'dataset' as const, id: siblingId, param: 'datasetId' })
  if (source === null) return null
  try {
    const facts = await sources.facts(identity, source)
    requireSize(facts, source)
    return { source, facts }
  } catch (error) {
    // What was held out may have been deleted since.
    if (named === null && error instanceof ServiceError && error.code === 'not_found') return null
    throw error
  }
}

function namedValidation({ evalDatasetId, validationFile }: CreateFineTuningJob): TrainingSource | null {
  if (validationFile != null) return { kind: 'file', id: validationFile, param: 'validationFile' }
  return evalDatasetId == null ? null : { kind: 'dataset', id: evalDatasetId, param: 'evalDatasetId' }
}

function requireSize({ bytes }: SourceFacts, { param }: TrainingSource): void {
  if (bytes <= maxTrainingBytes) return
  const megabytes = maxTrainingBytes / 1_048_576
  throw new ServiceError('invalid_training_data', `\`${param}\` has more than ${megabytes} MB.`, { param })
}

interface Sources {
  readonly chosen: ChosenModel
  readonly source: TrainingSource
  readonly training: SourceFacts
  readonly validation: Validation | null
}

interface Survey {
  readonly examples: number
  readonly tokens: number
  readonly report: TrainingDataReport | null
  readonly warnings: readonly string[]
}

/** Tokens of an example of unknown size. */
const assumedExampleTokens = 500

async function surveyOf(
  { sources, reading, countTokens = estimateTokens }: PrepareJobDeps,
  { identity, request, seed }: RequestedJob,
  { chosen, source, training, validation }: Sources,
): Promise<Survey> {
  const bytes = training.bytes + (validation?.facts.bytes ?? 0)
  if (bytes > maxSurveyedBytes) {
    const tokens = Math.ceil(training.bytes / 4)
    const warning = 'The data is checked after the job was created, because it is large.'
    return { examples: Math.ceil(tokens / assumedExampleTokens), tokens, report: null, warnings: [warning] }
  }
  const { onTooLong = 'drop' } = requestedOf(request)
  const read = async () => {
    const order = {
      method: request.method.type,
      maxSequenceLength: sequenceLengthOf(request, chosen.model),
      onTooLong,
      seed,
      training: await sources.content(identity, source),
      validation: validation === null ? null : await sources.content(identity, validation.source),
      countTokens,
    }
    const { report, problem, warnings } = await reading.sliced.run(prepareData(order))
    return { report, problem, warnings }
  }
  const places = reading[bytes > maxSmallBytes ? 'large' : 'small']
  const { report, problem, warnings } = await places.run(identity.workspaceId, read)
  if (problem !== null) {
    throw new ServiceError('invalid_training_data', problem, { param: source.param, details: report })
  }
  return { examples: report.used, tokens: report.tokens, report, warnings }
}

function holdOf(estimate: bigint, maximum: bigint | null): bigint {
  // Rounded up to a micro-dollar, like a charge.
  const withRoom = ((estimate * (100n + holdRoomPercent) + 99_999n) / 100_000n) * 1_000n
  return maximum !== null && maximum < withRoom ? maximum : withRoom
}

function costWarnings(estimate: bigint, maximum: bigint | null): readonly string[] {
  if (maximum === null || maximum >= estimate) return []
  return ['The job will end before all steps, because `maxCostUsd` is less than the estimated cost.']
}

export function estimateReply(job: PreparedJob, { capacities }: Occupancy): FineTuningEstimate {
  const { plan } = job.settings
  const speed = job.model.tokensPerSecond
  return {
    object: 'fine_tuning.estimate',
    training_tokens: plan.total_tokens,
    tokens_exact: false,
    estimated_cost_usd: nanoToUsd(job.estimatedCostNano),
    hold_usd: nanoToUsd(job.holdNano),
    estimated_seconds: speed === null ? null : Math.ceil(plan.total_tokens / speed),
    queue_seconds: (capacities.get(job.trainer)?.free ?? 0) > 0 ? 0 : null,
    examples: job.report?.used ?? null,
    data_report: job.report,
    warnings: [...job.warnings],
  }
}
