import type { TestGrpoReward } from '@ratchet/contracts/grpo-body'
import type { Identity } from '@ratchet/contracts/identity'
import { callModel } from '@ratchet/judge-kit/fleet/call-model'
import { type ModelCatalog, requireChatModel } from '@ratchet/judge-kit/fleet/model-catalog'
import { payingIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import { mapInTurns } from '@ratchet/service-kit/timing/in-turns'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { maxSurveyedBytes } from '../../data/training-source.ts'
import type { PromptDataDeps } from '../runs/prompt-data.ts'
import { type GrpoPrompt, somePrompts } from '../runs/read-prompts.ts'
import { refusalOfCall } from './judge-refusal.ts'

/** Answers that are asked for at the same time. */
const concurrency = 8

export interface SampleDeps extends PromptDataDeps {
  readonly catalog: ModelCatalog
  readonly inference: Pick<FleetClient, 'send'>
}

/** An answer whose reward is tried. */
export interface RewardSample extends Omit<GrpoPrompt, 'messages'> {
  readonly messages: GrpoPrompt['messages']
  readonly completion: readonly ExchangeMessage[]
  /** Whether the answer was cut off at its longest. */
  readonly truncated: boolean
}

export interface SampleOrder {
  readonly identity: Identity
  readonly request: TestGrpoReward
  /** The same in every repetition of the request. */
  readonly testId: string
}

export interface Sampled {
  readonly samples: readonly RewardSample[]
  readonly costNano: bigint
}

/**
 * Asks a model to answer prompts of a dataset. Each call is held and charged as any, and a repetition costs nothing.
 *
 * @param datasetId public id
 * @throws ServiceError `not_found`, `invalid_training_data`, `model_not_found`, or what a call was refused with
 */
export async function sampleAnswers(deps: SampleDeps, order: SampleOrder, datasetId: string): Promise<Sampled> {
  const { identity, request } = order
  const { n, samplesPerPrompt } = request
  const model = await requireChatModel(deps.catalog, { identity, name: request.model ?? '', param: 'model' })
  const prompts = await readSome(deps, order, datasetId)
  let costNano = 0n
  const places = Array.from({ length: Math.min(n, prompts.length) * samplesPerPrompt }, (_, index) => index)
  const samples = await mapInTurns(places, concurrency, async (index) => {
    const prompt = prompts[Math.floor(index / samplesPerPrompt)] as GrpoPrompt
    const asked = await ask(deps, order, { model: model.id, prompt, index })
    costNano += asked.costNano
    return asked.sample
  })
  return { samples, costNano }
}

async function readSome(
  { sources, reading }: SampleDeps,
  { identity, request }: SampleOrder,
  id: string,
): Promise<readonly GrpoPrompt[]> {
  const source = { kind: 'dataset', id, param: 'datasetId' } as const
  const { bytes } = await sources.facts(identity, source)
  if (bytes > maxSurveyedBytes) {
    throw new ServiceError('invalid_training_data', 'The prompts have more than 16 MB.', { param: 'datasetId' })
  }
  const prompts = await reading.large.run(identity.workspaceId, async () =>
    reading.sliced.run(somePrompts(await sources.content(identity, source), request.seed)),
  )
  if (prompts.length > 0) return prompts
  throw new ServiceError('invalid_training_data', 'The dataset has no prompts.', { param: 'datasetId' })
}

interface Question {
  readonly model: string
  readonly prompt: GrpoPrompt
  readonly index: number
}

async function ask({ inference }: SampleDeps, order: SampleOrder, { model, prompt, index }: Question) {
  const { identity, request, testId } = order
  const { messages, tools } = prompt
  const body = JSON.stringify({
    model,
    messages,
    ...(tools === null ? {} : { tools }),
    temperature: 1,
    max_tokens: request.maxOutputTokens,
    seed: request.seed + index,
  })
  const { workspaceId, userId } = identity
  const payer = payingIdentity({ workspaceId, userId, purpose: 'grpo', spendCap: null })
  const key = deterministicId('grpo-test-answer', testId, String(index), body)
  const reply = await callModel(inference, { identity: payer, body, key }).catch((error: unknown) => {
    throw error instanceof FleetCallError ? refusalOfAnswer(error) : error
  })
  const message = { ...reply.message, role: 'assistant' } as ExchangeMessage
  const sample = { ...prompt, completion: [message], truncated: reply.finishReason === 'length' }
  return { sample: sample satisfies RewardSample, costNano: reply.costNano }
}

function refusalOfAnswer(refusal: FleetCallError): ServiceError {
  const { status, message } = refusal
  const isPrompt = status === 400 || status === 413
  return isPrompt ? invalidRequest('datasetId', message) : refusalOfCall(refusal, 'The model')
}
