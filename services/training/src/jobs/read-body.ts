import { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { FlatRefusal } from '../bodies/flat-refusal.ts'
import { readSpelled, type SpelledBody } from '../bodies/spelled-body.ts'
import { requestedOf } from './resolve-settings.ts'

/**
 * Reads the body that creates or estimates a job, with keys in camelCase or snake_case.
 *
 * @throws FlatRefusal for a key in both spellings with different values, neither or both of `datasetId` and `trainingFile`,
 *   and a `method.type` with the settings of another method
 * @throws ServiceError 400 for everything else, naming the field as the client spells it
 */
export function readBody(sent: unknown): SpelledBody<typeof CreateFineTuningJob> {
  requireTrainedHere(sent)
  return readSpelled(sent, {
    schema: CreateFineTuningJob,
    opaque: new Set(['metadata']),
    check(request) {
      requireOneSource(request)
      requireMethodOfType(request)
      requireConsistent(request)
    },
  })
}

/** Clients of OpenAI know reinforcement as a method of jobs. */
function requireTrainedHere(sent: unknown): void {
  const { method } = Object(sent) as { readonly method?: unknown }
  const { type } = Object(method) as { readonly type?: unknown }
  if (type !== 'reinforcement') return
  throw refused('method.type', 'must be `supervised` or `dpo`. Reinforcement learning is `POST /v1/grpo/runs`.')
}

function requireOneSource({ datasetId, trainingFile }: CreateFineTuningJob): void {
  const given = [datasetId, trainingFile].filter((id) => id != null).length
  if (given === 1) return
  const problem = given === 0 ? 'is required' : 'is allowed'
  throw new FlatRefusal(`Exactly one of \`datasetId\` and \`trainingFile\` ${problem}.`)
}

function requireMethodOfType({ method }: CreateFineTuningJob): void {
  const { type } = method
  const other = type === 'dpo' ? 'supervised' : 'dpo'
  if (method[other] === undefined) return
  throw new FlatRefusal(`\`method.type\` is \`${type}\`, but \`method\` has the settings of \`${other}\`.`)
}

function requireConsistent(request: CreateFineTuningJob): void {
  const { evalDatasetId, validationFile, method, afterTraining } = request
  if (evalDatasetId != null && validationFile != null) {
    throw refused('validationFile', 'cannot be used together with `evalDatasetId`.')
  }
  if (afterTraining != null && (afterTraining.criterionId == null) === (afterTraining.judgeModel == null)) {
    throw refused('afterTraining', 'needs either a `criterionId` or a `judgeModel`.')
  }
  const { learningRate, learningRateMultiplier } = requestedOf({ method })
  if (learningRate == null || learningRateMultiplier == null) return
  const path = `method.${method.type}.hyperparameters.learningRate`
  throw refused(path, 'cannot be used together with `learningRateMultiplier`.')
}

function refused(param: string, what: string): ServiceError {
  return new ServiceError('invalid_request', `\`${param}\` ${what}`, { param })
}
