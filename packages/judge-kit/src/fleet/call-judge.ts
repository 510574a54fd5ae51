import type { Identity } from '@ratchet/contracts/identity'
import type { FleetCallError, FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import {
  type ChoiceFormat,
  choiceRequest,
  type JudgeChoice,
  type JudgePrompt,
  parseChoice,
} from '../prompt/judge-choice.ts'
import type { ModelReply } from './call-model.ts'
import { createModelTraits } from './model-traits.ts'
import { requestValue } from './request-value.ts'

export interface CallJudgeDeps {
  readonly inference: FleetClient
  readonly now: () => Date
}

export interface JudgeCall<Choice> {
  /** The workspace that pays, with the spend cap. */
  readonly identity: Identity
  readonly judgeModel: string
  /** Null when it would be too large. */
  readonly prompt: JudgePrompt | null
  readonly format: ChoiceFormat<Choice>
  /** Makes the Idempotency-Key of a request with this body. */
  readonly keyOf: (body: string) => string
}

export type JudgeFinding<Choice> =
  | ({ readonly kind: 'chosen' } & JudgeChoice<Choice>)
  /** The judge was called twice and chose nothing; with an explanation, its checks failed. */
  | { readonly kind: 'unparseable'; readonly explanation?: string }
  /** The judge was not called. */
  | { readonly kind: 'too_large' }
  | { readonly kind: 'refused'; readonly refusal: FleetCallError }

export interface JudgeCallResult<Choice> {
  readonly finding: JudgeFinding<Choice>
  /** All billed answers of the judge, in order. */
  readonly replies: readonly ModelReply[]
}

/** @throws FleetCallError when the model catalog cannot be read now */
export type CallJudge = <Choice>(call: JudgeCall<Choice>) => Promise<JudgeCallResult<Choice>>

/**
 * Calls a judge model through inference. A judge that does not choose is called once more. A retry of the same call costs
 * nothing and gives the same answer.
 */
export function createCallJudge({ inference, now }: CallJudgeDeps): CallJudge {
  const traitsOf = createModelTraits({ inference, now })
  return async ({ identity, judgeModel, prompt, format, keyOf }) => {
    if (prompt === null) return { finding: { kind: 'too_large' }, replies: [] }
    const body = choiceRequest({ model: judgeModel, prompt, format }, await traitsOf(identity, judgeModel))
    const parse = (message: string) => parseChoice(message, format)
    const { finding, replies } = await requestValue(inference, { identity, body, key: keyOf(body), parse })
    return { finding: finding.kind === 'found' ? { kind: 'chosen', ...finding.found } : finding, replies }
  }
}

/** What these answers cost together, nano-dollars. */
export function costOfReplies(replies: readonly ModelReply[]): bigint {
  return replies.reduce((sum, { costNano }) => sum + costNano, 0n)
}
