import type { CreateGrpoRun } from '@ratchet/contracts/grpo-body'
import type { Identity } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { DataReading } from '../../data/data-reading.ts'
import type { SourceReader } from '../../data/source-reader.ts'
import { maxSurveyedBytes, type SourceFacts, type TrainingSource } from '../../data/training-source.ts'
import { readPrompts } from './read-prompts.ts'

export interface PromptDeps {
  readonly sources: SourceReader
  readonly reading: DataReading
}

interface RequestedPrompts {
  readonly identity: Identity
  readonly request: CreateGrpoRun
  readonly seed: number
}

/**
 * Reads the prompts of a run, and divides them.
 *
 * @throws ServiceError `invalid_training_data`, or naming the dataset that there is not
 */
export async function findPrompts({ sources, reading }: PromptDeps, { identity, request, seed }: RequestedPrompts) {
  const source = { kind: 'dataset', id: request.datasetId, param: 'datasetId' } as const
  const training = await sources.facts(identity, source)
  const heldOut = await heldOutOf(sources, { identity, request, training })
  const bytes = training.bytes + (heldOut?.facts.bytes ?? 0)
  if (bytes > maxSurveyedBytes) {
    throw new ServiceError('invalid_training_data', 'The prompts of a run have at most 16 MB.', { param: 'datasetId' })
  }
  const read = await reading.large.run(identity.workspaceId, async () =>
    reading.sliced.run(
      readPrompts({
        training: await sources.content(identity, source),
        heldOut: heldOut === null ? null : await sources.content(identity, heldOut.source),
        seed,
        lookPrompts: request.holdout.prompts,
      }),
    ),
  )
  if (read.kind === 'bad') {
    throw new ServiceError('invalid_training_data', read.message, { param: read.param, details: read.details })
  }
  return {
    ...read,
    datasetId: training.uuid,
    datasetSha256: training.sha256 ?? read.sha256,
    evalDatasetId: heldOut?.facts.uuid ?? null,
  }
}

interface Held {
  readonly source: TrainingSource
  readonly facts: SourceFacts
}

/** What the request names, else what was held out from the dataset; null: a part of the dataset. */
async function heldOutOf(
  sources: SourceReader,
  {
    identity,
    request,
    training,
  }: { readonly identity: Identity; readonly request: CreateGrpoRun; readonly training: SourceFacts },
): Promise<Held | null> {
  const { evalDatasetId } = request
  const id = evalDatasetId ?? training.siblingId
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
