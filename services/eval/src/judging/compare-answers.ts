import type { Identity } from '@ratchet/contracts/identity'
import { askForAnswer } from '@ratchet/judge-kit/fleet/ask-for-answer'
import type { ModelReply } from '@ratchet/judge-kit/fleet/ask-model'
import { createModelTraits } from '@ratchet/judge-kit/fleet/model-traits'
import type { FleetCallError, FleetClient } from '@ratchet/service-kit/fleet-client'
import { buildComparePrompt, type ComparePromptRequest } from './build-compare-prompt.ts'
import { compareRequest } from './compare-request.ts'
import { type JudgePreference, parsePreference } from './parse-preference.ts'

export interface CompareAnswersDeps {
  readonly inference: FleetClient
  readonly now: () => Date
}

/** One look of a judge at two answers, in one order; its `id` is the same whenever this is tried again. */
export interface Look extends ComparePromptRequest {
  /** Who pays, with the cap on it. */
  readonly identity: Identity
  readonly judgeModel: string
  /** The Idempotency-Key of the question with this body. */
  readonly keyOf: (body: string) => string
}

/** What a judge made of two answers. */
export type LookFinding =
  | ({ readonly kind: 'preference' } & JudgePreference)
  /** It was asked twice. */
  | { readonly kind: 'unparseable' }
  /** It was not asked. */
  | { readonly kind: 'too_large' }
  | { readonly kind: 'refused'; readonly refusal: FleetCallError }

export interface LookResult {
  readonly finding: LookFinding
  /** All that were paid for, in order. */
  readonly replies: readonly ModelReply[]
}

/** @throws FleetCallError when the catalog of models cannot be read now */
export type CompareAnswers = (look: Look) => Promise<LookResult>

/** Compares answers through inference. A judge that names no winner is asked the same once more. */
export function createCompareAnswers(deps: CompareAnswersDeps): CompareAnswers {
  const traitsOf = createModelTraits(deps)
  return async (look) => {
    const { identity, judgeModel, keyOf } = look
    const prompt = buildComparePrompt(look)
    if (prompt === null) return { finding: { kind: 'too_large' }, replies: [] }
    const body = compareRequest(judgeModel, prompt, await traitsOf(identity, judgeModel))
    const key = keyOf(body)
    const { finding, replies } = await askForAnswer(deps.inference, { identity, body, key, parse: parsePreference })
    return { finding: finding.kind === 'found' ? { kind: 'preference', ...finding.found } : finding, replies }
  }
}
