import type { DistillDataset } from '@ratchet/contracts/dataset-distill'
import type { Identity } from '@ratchet/contracts/identity'
import { drawPrompts } from '@ratchet/contracts/internal-datasets'
import { getModel } from '@ratchet/contracts/models'
import { usdToNano } from '@ratchet/contracts/money'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { DataReading } from '../data/data-reading.ts'
import type { SourceReader } from '../data/source-reader.ts'
import { maxSurveyedBytes } from '../data/training-source.ts'
import { freezeJudge, type JudgeDirectory, requireJudge } from '../grpo/rewards/judge-directory.ts'
import { type KeyedPrompt, promptOf, promptsOf, shuffled } from '../grpo/runs/read-prompts.ts'
import type { FrozenJudge } from '../grpo/runs/run-settings.ts'
import { type CoverDeps, requireCover } from '../money/require-cover.ts'
import type { RoundPrompt } from '../raft/round.ts'
import type { NewDistillation } from './distillation.ts'

export interface PrepareDistillationDeps extends CoverDeps {
  readonly inference: Pick<FleetClient, 'call'>
  readonly logging: Pick<FleetClient, 'call'>
  readonly sources: SourceReader
  readonly reading: DataReading
  readonly judges: JudgeDirectory
}

export interface RequestedDistillation {
  readonly id: string
  readonly identity: Identity
  readonly request: DistillDataset
  readonly createdAt: Date
}

const maxPrompts = 2_000

/**
 * Checks everything that a distillation needs before it is started, and reads its prompts.
 *
 * @throws ServiceError naming the wrong field, `outputs_not_trainable`, or `insufficient_balance`
 */
export async function prepareDistillation(
  deps: PrepareDistillationDeps,
  { id, identity, request, createdAt }: RequestedDistillation,
): Promise<NewDistillation> {
  if ((request.dataset_id == null) === (request.filters == null)) {
    throw invalidRequest('dataset_id', 'Exactly one of `dataset_id` and `filters` is required.')
  }
  await requireTeacher(deps, identity, request)
  const judges = await judgesOf(deps, identity, request)
  const prompts = await chosenPrompts(deps, identity, request)
  const maxCostNano = usdToNano(request.max_cost_usd)
  await requireCover(deps, { identity, amountNano: maxCostNano, param: 'max_cost_usd' })
  const { workspaceId, userId: createdBy } = identity
  return { id, workspaceId, request, judges, maxCostNano, createdBy, createdAt, prompts }
}

async function requireTeacher(
  { inference }: PrepareDistillationDeps,
  identity: Identity,
  { teacher_model: teacher, acknowledge_terms: acknowledged }: DistillDataset,
): Promise<void> {
  const param = 'teacher_model'
  const model = await inference.call(getModel, { params: { id: [teacher] } }, identity).catch((error: unknown) => {
    if (!(error instanceof FleetCallError)) throw error
    if (error.status === 404 || error.status === 400) {
      const message = `No model that can be called has the id ${JSON.stringify(teacher)}.`
      throw new ServiceError('not_found', message, { param, cause: error })
    }
    return unavailable(error)
  })
  if (!model.capabilities.includes('chat')) {
    throw invalidRequest(param, `The model ${JSON.stringify(teacher)} does not answer chat completions.`)
  }
  if (model.outputs_trainable || acknowledged) return
  const message = `The terms of the provider of ${JSON.stringify(teacher)} forbid to train other models on its answers. If yours permit it, set \`acknowledge_terms\`.`
  throw new ServiceError('outputs_not_trainable', message, { param })
}

async function judgesOf(
  { judges }: PrepareDistillationDeps,
  identity: Identity,
  { criterion_id: criterion }: DistillDataset,
): Promise<readonly FrozenJudge[]> {
  if (criterion == null) return []
  const found = await requireJudge(judges, { identity, id: criterion, param: 'criterion_id' })
  return [freezeJudge(found, 'reward')]
}

async function chosenPrompts(
  deps: PrepareDistillationDeps,
  identity: Identity,
  request: DistillDataset,
): Promise<readonly RoundPrompt[]> {
  const { dataset_id: datasetId, seed, samples_per_prompt: samples } = request
  const param = datasetId == null ? 'filters' : 'dataset_id'
  const keyed = datasetId == null ? await ofLog(deps, identity, request) : await ofDataset(deps, identity, datasetId)
  // What the last reply of an example says is not needed.
  const inOrder = await deps.reading.sliced.run(shuffled(keyed, ({ key }) => key, seed))
  const prompts = inOrder
    .slice(0, maxPrompts)
    .map(({ prompt: { messages, tools } }) => ({ messages, tools, reference: null }))
  if (prompts.length === 0) throw new ServiceError('invalid_training_data', 'There is no prompt.', { param })
  const bytes = prompts.reduce((sum, prompt) => sum + Buffer.byteLength(JSON.stringify(prompt)), 0) * samples
  if (bytes <= maxSurveyedBytes) return prompts
  const message = `The prompts times \`samples_per_prompt\` have ${bytes} bytes; at most ${maxSurveyedBytes} are possible.`
  throw new ServiceError('invalid_training_data', message, { param })
}

async function ofDataset({ sources, reading }: PrepareDistillationDeps, identity: Identity, id: string) {
  const source = { kind: 'dataset', id, param: 'dataset_id' } as const
  const { bytes } = await sources.facts(identity, source)
  if (bytes > maxSurveyedBytes) {
    throw new ServiceError('invalid_training_data', 'The prompts have at most 16 MB.', { param: source.param })
  }
  const read = async () => reading.sliced.run(promptsOf(await sources.content(identity, source)))
  return (await reading.large.run(identity.workspaceId, read)).prompts
}

async function ofLog({ logging }: PrepareDistillationDeps, identity: Identity, { filters, seed }: DistillDataset) {
  const body = { filters: filters ?? {}, count: maxPrompts, seed }
  const { data } = await logging.call(drawPrompts, { body }, identity).catch((error: unknown) => {
    if (!(error instanceof FleetCallError)) throw error
    if (error.code !== 'logging_disabled') return unavailable(error)
    throw new ServiceError('logging_disabled', error.message, { cause: error })
  })
  const prompts = data.flatMap((each) => promptOf(each) ?? [])
  return [...new Map(prompts.map((prompt): [string, KeyedPrompt] => [prompt.key, prompt])).values()]
}

function unavailable(cause: FleetCallError): never {
  if (!cause.mayPass) throw cause
  throw new ServiceError('service_unavailable', 'This cannot be checked at the moment. Retry.', {
    retryAfterSeconds: 1,
    cause,
  })
}
