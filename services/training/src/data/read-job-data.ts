import type { TrainingDataReport } from '@ratchet/contracts/fine-tuning'
import type { Identity } from '@ratchet/contracts/identity'
import { publicId } from '@ratchet/contracts/public-id'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { SlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import type { JobSettings, JobWithData } from '../jobs/job.ts'
import { hyperparametersOf, planOf } from '../jobs/resolve-settings.ts'
import { jobCostNano } from '../money/job-cost.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { type DataOrder, prepareData } from './prepare-data.ts'
import type { CountTokens } from './read-example.ts'
import { type ChosenLines, copyLines, sha256InSteps } from './read-lines.ts'
import type { SourceReader } from './source-reader.ts'
import { packRoots } from './training-roots.ts'
import type { TrainingSource } from './training-source.ts'

/** Lines of examples that a trainer reads. */
export interface StoredExamples {
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string
  readonly bytes: Buffer
}

/** What reading the data of a job came to. */
export type JobData =
  | {
      readonly kind: 'ready'
      readonly training: StoredExamples
      /** Null without examples to validate with. */
      readonly validation: StoredExamples | null
      readonly report: TrainingDataReport
      readonly settings: JobSettings
      readonly datasetSha256: string
      readonly totalTokens: bigint
      readonly estimatedCostNano: bigint
      /** The conversations that are trained on, see `packRoots`. */
      readonly roots: Buffer
      /** For the events of the job. */
      readonly warnings: readonly string[]
    }
  | {
      readonly kind: 'bad'
      /** For the user. */
      readonly message: string
      readonly param: string
      /** Null when the data does not exist any more. */
      readonly report: TrainingDataReport | null
    }

export interface ReadJobDataDeps {
  readonly sources: SourceReader
  readonly sliced: SlicedWork
  readonly countTokens?: CountTokens
}

/**
 * Reads, checks and counts the data of a job. Repeating it gives the same result.
 *
 * @param identity of a worker that acts for the job's user
 * @throws ServiceError `service_unavailable` when the data cannot be read now
 */
export async function readJobData(deps: ReadJobDataDeps, job: JobWithData, identity: Identity): Promise<JobData> {
  const { training: source, validation: validationSource } = sourcesOf(job)
  let contents: readonly [Buffer, Buffer | null]
  try {
    const validation = validationSource === null ? null : await deps.sources.content(identity, validationSource)
    contents = [await deps.sources.content(identity, source), validation]
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error
    const param = error.param ?? source.param
    return { kind: 'bad', message: `The data of \`${param}\` was deleted before it was read.`, param, report: null }
  }
  const [training, validation] = contents
  const { max_sequence_length: maxSequenceLength, on_too_long: onTooLong } = job.settings.hyperparameters
  const { countTokens = estimateTokens } = deps
  const order = { method: job.method, maxSequenceLength, onTooLong, seed: job.seed, training, validation, countTokens }
  return await deps.sliced.run(dataOf(job, order, source))
}

/** Bytes of the data of a job; infinite when they are not known now. */
export async function jobDataBytes(
  { sources }: Pick<ReadJobDataDeps, 'sources'>,
  job: JobWithData,
  identity: Identity,
): Promise<number> {
  const { training, validation } = sourcesOf(job)
  try {
    const facts = [await sources.facts(identity, training)]
    if (validation !== null) facts.push(await sources.facts(identity, validation))
    return facts.reduce((total, { bytes }) => total + bytes, 0)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function* dataOf(job: JobWithData, order: DataOrder, { param }: TrainingSource): Generator<void, JobData> {
  const prepared = yield* prepareData(order)
  const { report, problem, warnings } = prepared
  if (problem !== null) return { kind: 'bad', message: problem, param, report }
  const settings = settingsOf(job, report)
  const totalTokens = BigInt(settings.plan.total_tokens)
  return {
    kind: 'ready',
    training: yield* storedOf(prepared.training),
    validation: prepared.validation.lines.length === 0 ? null : yield* storedOf(prepared.validation),
    report,
    settings,
    datasetSha256: yield* sha256InSteps(order.training),
    totalTokens,
    estimatedCostNano: jobCostNano(totalTokens, job.priceNanoPerMtok),
    roots: yield* packRoots(prepared.training.lines.map(({ rootKey }) => rootKey)),
    warnings,
  }
}

function sourcesOf(job: JobWithData): {
  readonly training: TrainingSource
  readonly validation: TrainingSource | null
} {
  const { datasetId, trainingFile, evalDatasetId, validationFile } = job
  const sourceOf = (kind: TrainingSource['kind'], uuid: string, param: string) => ({
    kind,
    id: publicId(kind, uuid),
    param,
  })
  const training =
    datasetId === null
      ? sourceOf('file', trainingFile ?? '', 'trainingFile')
      : sourceOf('dataset', datasetId, 'datasetId')
  if (validationFile !== null) return { training, validation: sourceOf('file', validationFile, 'validationFile') }
  return { training, validation: evalDatasetId === null ? null : sourceOf('dataset', evalDatasetId, 'evalDatasetId') }
}

/** The settings with what depends on the number of examples; what depends on the model stays as it was. */
function settingsOf({ request, settings }: JobWithData, { used, tokens }: TrainingDataReport): JobSettings {
  const { max_sequence_length, lora_rank, lora_alpha } = settings.hyperparameters
  const model = { loraRanks: [], maxContext: max_sequence_length }
  const resolved = hyperparametersOf(request, model, used)
  const hyperparameters = { ...resolved, max_sequence_length, lora_rank, lora_alpha }
  return { ...settings, hyperparameters, plan: planOf(request, hyperparameters, { examples: used, tokens }) }
}

function* storedOf(chosen: ChosenLines): Generator<void, StoredExamples> {
  const bytes = yield* copyLines(chosen)
  return { sha256: yield* sha256InSteps(bytes), bytes }
}
