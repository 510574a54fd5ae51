import { type CreateEval, loggedBaseline } from '@ratchet/contracts/evals'
import { checkAssertions } from '@ratchet/judge-kit/checks/check-assertions'
import { callModel } from '@ratchet/judge-kit/fleet/call-model'
import { createModelTraits } from '@ratchet/judge-kit/fleet/model-traits'
import { storableMessage } from '@ratchet/judge-kit/fleet/outcome-of-refusal'
import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import { limitName, type ModelTraits } from '@ratchet/judge-kit/prompt/structured-request'
import type { FleetCallError, FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { callerOf } from '../runs/caller.ts'
import type { EvalPrompt, ModelAnswer, SampleWithPrompt } from './sample.ts'

export interface AnswerSampleDeps {
  readonly inference: FleetClient
  readonly now: () => Date
}

/**
 * Gets the answer of one model to a sample. The Idempotency-Key is made from the sample, the model and the request body,
 * so a retry costs nothing and returns the same answer.
 *
 * @throws FleetCallError when inference refuses or does not answer
 */
export type AnswerSample = (sample: SampleWithPrompt, modelIndex: number) => Promise<ModelAnswer>

export function createAnswerSample({ inference, now }: AnswerSampleDeps): AnswerSample {
  const traitsOf = createModelTraits({ inference, now })
  return async (sample, modelIndex) => {
    const { request } = sample.run
    const model = [request.baseline_model, ...request.candidate_models][modelIndex] ?? ''
    if (model === loggedBaseline) return recordedAnswer(sample)
    const identity = callerOf(sample.run, 'eval')
    const traits = await traitsOf(identity, model)
    const body = answerRequest(model, sample.prompt, { params: request.params, traits })
    const key = deterministicId('eval-answer', sample.id, String(modelIndex), body)
    const reply = await callModel(inference, { identity, body, key })
    return answerWith(sample, {
      modelIndex,
      message: messageOf(reply.message),
      isRecorded: false,
      costNano: reply.costNano,
      latencyMs: reply.latencyMs,
    })
  }
}

/** The JSON body of the chat completion. It is the same text for the same sample, because the key is made from it. */
export function answerRequest(
  model: string,
  { messages, tools, responseFormat }: EvalPrompt,
  { params, traits }: { readonly params: CreateEval['params']; readonly traits: ModelTraits },
): string {
  const { temperature, max_tokens: maxTokens } = params
  return JSON.stringify({
    model,
    messages,
    ...(tools === null || tools.length === 0 ? {} : { tools }),
    ...(responseFormat === null || responseFormat === undefined ? {} : { response_format: responseFormat }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { [limitName(traits)]: maxTokens }),
  })
}

/** Stands for a completion without a message: the model answered, but with no content. */
const emptyMessage: ExchangeMessage = { role: 'assistant', content: null }

function messageOf(message: Readonly<Record<string, unknown>> | null): ExchangeMessage {
  return message === null ? emptyMessage : { ...message, role: 'assistant' }
}

/** Uses the stored answer as the baseline's. No model is called and nothing is billed. */
function recordedAnswer(sample: SampleWithPrompt): ModelAnswer {
  const { reference, recorded } = sample
  return answerWith(sample, {
    modelIndex: 0,
    message: reference ?? emptyMessage,
    isRecorded: true,
    costNano: recorded?.costNano == null ? null : BigInt(recorded.costNano),
    latencyMs: recorded?.latencyMs ?? null,
  })
}

type SuccessfulAnswer = Omit<ModelAnswer, 'error' | 'assertions' | 'message'> & { readonly message: ExchangeMessage }

function answerWith({ run }: SampleWithPrompt, answer: SuccessfulAnswer): ModelAnswer {
  const { tool_calls: calls } = answer.message
  const assertions = checkAssertions(run.request.assertions, Array.isArray(calls) ? calls : null)
  return { ...answer, error: null, assertions }
}

export function failedAnswer(modelIndex: number, refusal: FleetCallError): ModelAnswer {
  return {
    modelIndex,
    message: null,
    error: storableMessage(refusal),
    isRecorded: false,
    costNano: 0n,
    latencyMs: null,
    assertions: {},
  }
}
