import { loggedBaseline } from '@ratchet/contracts/evals'
import { askModel } from '@ratchet/judge-kit/fleet/ask-model'
import { createModelTraits } from '@ratchet/judge-kit/fleet/model-traits'
import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import { keepableText } from '@ratchet/judge-kit/prompt/keepable-text'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import type { FleetCallError, FleetClient } from '@ratchet/service-kit/fleet-client'
import { callerOf } from '../runs/caller.ts'
import { answerRequest } from './answer-request.ts'
import { checkAssertions } from './check-assertions.ts'
import type { EvalPrompt, KeptAnswer, LeasedSample } from './sample.ts'

export interface AnswerSampleDeps {
  readonly inference: FleetClient
  readonly now: () => Date
}

/** A sample whose texts are still there. */
export interface AskableSample extends LeasedSample {
  readonly prompt: EvalPrompt
}

/**
 * What one of the models answers to a sample. A question has a key made of the sample, the model and the question itself,
 * so that asking again, after whatever happened, costs nothing and gives the same answer.
 *
 * @throws FleetCallError when inference refuses or does not answer
 */
export type AnswerSample = (sample: AskableSample, modelIndex: number) => Promise<KeptAnswer>

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
    const { message, costNano, latencyMs } = await askModel(inference, { identity, body, key })
    return answered(sample, { modelIndex, message: messageOf(message), isRecorded: false, costNano, latencyMs })
  }
}

/** A completion without a message: the model answered, and said nothing. */
const nothingSaid: ExchangeMessage = { role: 'assistant', content: null }

function messageOf(message: Readonly<Record<string, unknown>> | null): ExchangeMessage {
  return message === null ? nothingSaid : { ...message, role: 'assistant' }
}

/** The stored answer stands in the baseline's place: nothing is asked, and nothing billed. */
function recordedAnswer(sample: AskableSample): KeptAnswer {
  const { reference, recorded } = sample
  return answered(sample, {
    modelIndex: 0,
    message: reference ?? nothingSaid,
    isRecorded: true,
    costNano: recorded?.costNano == null ? null : BigInt(recorded.costNano),
    latencyMs: recorded?.latencyMs ?? null,
  })
}

type Answered = Omit<KeptAnswer, 'error' | 'assertions' | 'message'> & { readonly message: ExchangeMessage }

function answered({ run }: AskableSample, answer: Answered): KeptAnswer {
  const { tool_calls: calls } = answer.message
  const assertions = checkAssertions(run.request.assertions, Array.isArray(calls) ? calls : null)
  return { ...answer, error: null, assertions }
}

/** An answer that will not come. */
export function failedAnswer(modelIndex: number, refusal: FleetCallError): KeptAnswer {
  return {
    modelIndex,
    message: null,
    error: keepableText(refusal.message, 1_000),
    isRecorded: false,
    costNano: 0n,
    latencyMs: null,
    assertions: {},
  }
}
