import { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import type { StartRaftRound } from '@ratchet/contracts/session-raft'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

export interface JobOrder {
  readonly request: Pick<StartRaftRound, 'modelVersionId' | 'fineTuning' | 'evalBaseline'>
  readonly baseModel: string
  /** Public id. */
  readonly datasetId: string
  readonly maxCostUsd: number
  readonly seed: number
  readonly roundIndex: number
}

/** The fine-tuning job that a round asks for. */
export function jobRequestOf(order: JobOrder): CreateFineTuningJob {
  const { request, baseModel, datasetId, maxCostUsd, seed, roundIndex } = order
  const { modelVersionId, fineTuning, evalBaseline } = request
  return CreateFineTuningJob.parse({
    model: baseModel,
    datasetId,
    maxCostUsd,
    seed,
    suffix: `raft-${roundIndex + 1}`,
    method: { type: 'supervised', supervised: { hyperparameters: fineTuning?.hyperparameters ?? {} } },
    warmStartFrom: modelVersionId ?? null,
    afterTraining: evalBaseline ?? null,
  })
}

/** Fields of a job, as the start of a round names them. */
const names: readonly (readonly [RegExp, string])[] = [
  [/method\.supervised\.hyperparameters/g, 'fineTuning.hyperparameters'],
  [/afterTraining/g, 'evalBaseline'],
  [/warmStartFrom/g, 'modelVersionId'],
  [/^model$/g, 'baseModel'],
]

/** Does what checks the job of a round; a refusal names the field of the round. @throws ServiceError */
export async function checkingJob<T>(check: () => T | Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof ServiceError) || error.param === null) throw error
    const renamed = (text: string) => names.reduce((named, [field, name]) => named.replaceAll(field, name), text)
    const { code, details, headers } = error
    throw new ServiceError(code, renamed(error.message), {
      param: renamed(error.param),
      headers,
      cause: error,
      ...(details === undefined ? {} : { details }),
    })
  }
}
