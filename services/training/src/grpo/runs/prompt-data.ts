import type { Identity } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { DataReading } from '../../data/data-reading.ts'
import type { SourceReader } from '../../data/source-reader.ts'
import { maxSurveyedBytes, type SourceFacts, type TrainingSource } from '../../data/training-source.ts'
import { type ReadPrompts, readPrompts } from './read-prompts.ts'

export interface PromptDataDeps {
  readonly sources: SourceReader
  readonly reading: DataReading
}

export interface PromptDataOrder {
  readonly identity: Identity
  /** As the client names them. */
  readonly datasetId: string
  readonly evalDatasetId?: string | null | undefined
  /** Carves so many percent, whatever was held out from the dataset. */
  readonly holdoutPct?: number | null | undefined
  readonly seed: number
  /** Prompts of a look, at most half of those held out. */
  readonly lookPrompts: number
}

export interface PromptData extends Omit<Extract<ReadPrompts, { kind: 'ready' }>, 'kind'> {
  /** UUIDs; null when a part of the dataset is held out. */
  readonly datasetId: string
  readonly evalDatasetId: string | null
  readonly datasetSha256: string
}

/**
 * Reads the prompts of a dataset, and divides them into those that are trained on and those that are held out: the named dataset,
 * else what was held out from it, else a part of it.
 *
 * @throws ServiceError naming `datasetId` or `evalDatasetId`: `not_found` or `invalid_training_data`
 */
export async function readPromptData(
  { sources, reading }: PromptDataDeps,
  { identity, datasetId, evalDatasetId = null, holdoutPct, seed, lookPrompts }: PromptDataOrder,
): Promise<PromptData> {
  const source = { kind: 'dataset', id: datasetId, param: 'datasetId' } as const
  const training = await sources.facts(identity, source)
  const siblingId = holdoutPct == null ? training.siblingId : null
  const heldOut = await heldOutOf(sources, { identity, evalDatasetId, siblingId })
  if (training.bytes + (heldOut?.facts.bytes ?? 0) > maxSurveyedBytes) throw tooLarge('datasetId')
  const read = await reading.large.run(identity.workspaceId, async () =>
    reading.sliced.run(
      readPrompts({
        training: await sources.content(identity, source),
        heldOut: heldOut === null ? null : await sources.content(identity, heldOut.source),
        holdoutPct: holdoutPct ?? undefined,
        seed,
        lookPrompts,
      }),
    ),
  )
  const { parts, sha256, warnings } = requireReady(read)
  return {
    parts,
    sha256,
    warnings,
    datasetId: training.uuid,
    datasetSha256: training.sha256 ?? sha256,
    evalDatasetId: heldOut?.facts.uuid ?? null,
  }
}

/** Prompts that are in no dataset. */
export interface LinesOrder extends Omit<PromptDataOrder, 'datasetId'> {
  /** Lines of JSON, each an example. */
  readonly lines: Buffer
  /** The field that chose them. */
  readonly param: string
}

/** Divides prompts that are in no dataset, like those of one. @throws ServiceError as above */
export async function dividePrompts(
  { sources, reading }: PromptDataDeps,
  { identity, lines, param, evalDatasetId = null, holdoutPct, seed, lookPrompts }: LinesOrder,
): Promise<Omit<Extract<ReadPrompts, { kind: 'ready' }>, 'kind'>> {
  const heldOut = await heldOutOf(sources, { identity, evalDatasetId, siblingId: null })
  if (lines.length + (heldOut?.facts.bytes ?? 0) > maxSurveyedBytes) throw tooLarge(param)
  const read = await reading.large.run(identity.workspaceId, async () =>
    reading.sliced.run(
      readPrompts({
        training: lines,
        heldOut: heldOut === null ? null : await sources.content(identity, heldOut.source),
        holdoutPct: holdoutPct ?? undefined,
        seed,
        lookPrompts,
      }),
    ),
  )
  return requireReady(read, param)
}

/** @param param what chose the prompts, where this is no dataset */
function requireReady(read: ReadPrompts, param = 'datasetId'): Extract<ReadPrompts, { kind: 'ready' }> {
  if (read.kind === 'ready') return read
  const named = read.param === 'datasetId' ? param : read.param
  throw new ServiceError('invalid_training_data', read.message, { param: named, details: read.details })
}

function tooLarge(param: string): ServiceError {
  return new ServiceError('invalid_training_data', 'The prompts have more than 16 MB.', { param })
}

interface Held {
  readonly source: TrainingSource
  readonly facts: SourceFacts
}

interface HeldOrder {
  readonly identity: Identity
  readonly evalDatasetId: string | null
  /** What was held out from the dataset, as the client would name it. */
  readonly siblingId: string | null
}

/** Null: a part of the dataset is held out. */
async function heldOutOf(
  sources: SourceReader,
  { identity, evalDatasetId, siblingId }: HeldOrder,
): Promise<Held | null> {
  const id = evalDatasetId ?? siblingId
  if (id === null) return null
  const source = { kind: 'dataset', id, param: evalDatasetId == null ? 'datasetId' : 'evalDatasetId' } as const
  try {
    return { source, facts: await sources.facts(identity, source) }
  } catch (error) {
    // What was held out may have been deleted since.
    if (evalDatasetId == null && error instanceof ServiceError && error.code === 'not_found') return null
    throw error
  }
}
