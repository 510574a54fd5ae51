import type { Identity } from '@ratchet/contracts/identity'
import { askForAnswer } from '@ratchet/judge-kit/fleet/ask-for-answer'
import type { ModelReply } from '@ratchet/judge-kit/fleet/ask-model'
import { createModelTraits } from '@ratchet/judge-kit/fleet/model-traits'
import { type ModelTraits, structuredRequest } from '@ratchet/judge-kit/prompt/structured-request'
import type { FleetCallError, FleetClient } from '@ratchet/service-kit/fleet-client'
import { buildComparePrompt, type ComparePromptRequest, type JudgePrompt } from './build-compare-prompt.ts'
import { type JudgePreference, parsePreference } from './parse-preference.ts'

export interface CompareAnswersDeps {
  readonly inference: FleetClient
  readonly now: () => Date
}

/** A comparison of two answers in one order. A retry has the same `id`. */
export interface Comparison extends ComparePromptRequest {
  /** The workspace that pays, with the spend cap of the eval. */
  readonly identity: Identity
  readonly judgeModel: string
  /** Makes the Idempotency-Key of a request with this body. */
  readonly keyOf: (body: string) => string
}

export type ComparisonFinding =
  | ({ readonly kind: 'preference' } & JudgePreference)
  /** The judge was called twice and named no winner. */
  | { readonly kind: 'unparseable' }
  /** The judge was not called. */
  | { readonly kind: 'too_large' }
  | { readonly kind: 'refused'; readonly refusal: FleetCallError }

export interface ComparisonResult {
  readonly finding: ComparisonFinding
  /** All billed answers of the judge, in order. */
  readonly replies: readonly ModelReply[]
}

/** @throws FleetCallError when the model catalog cannot be read now */
export type CompareAnswers = (comparison: Comparison) => Promise<ComparisonResult>

/** Compares answers with a judge model, through inference. A judge that names no winner is called once more. */
export function createCompareAnswers(deps: CompareAnswersDeps): CompareAnswers {
  const traitsOf = createModelTraits(deps)
  return async (comparison) => {
    const { identity, judgeModel, keyOf } = comparison
    const prompt = buildComparePrompt(comparison)
    if (prompt === null) return { finding: { kind: 'too_large' }, replies: [] }
    const body = compareRequest(judgeModel, prompt, await traitsOf(identity, judgeModel))
    const key = keyOf(body)
    const { finding, replies } = await askForAnswer(deps.inference, { identity, body, key, parse: parsePreference })
    return { finding: finding.kind === 'found' ? { kind: 'preference', ...finding.found } : finding, replies }
  }
}

/** Maximum tokens of a verdict. It usually needs a few hundred. */
const maxTokens = 2_048

/** The JSON body of the chat completion that asks a judge for its preference. */
export function compareRequest(model: string, { system, user }: JudgePrompt, traits: ModelTraits): string {
  return structuredRequest({ model, system, user, name: 'preference', schema: preferenceSchema, maxTokens }, traits)
}

const preferenceSchema = {
  type: 'object',
  properties: { explanation: { type: 'string' }, winner: { type: 'string', enum: ['first', 'second', 'tie'] } },
  required: ['explanation', 'winner'],
  additionalProperties: false,
}
