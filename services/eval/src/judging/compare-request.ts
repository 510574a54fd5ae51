import { type ModelTraits, structuredRequest } from '@ratchet/judge-kit/prompt/structured-request'
import type { JudgePrompt } from './build-compare-prompt.ts'

/** Tokens: a preference takes some hundred. */
const maxTokens = 2_048

/** The chat completion that asks a judge for its preference, as JSON. */
export function compareRequest(model: string, { system, user }: JudgePrompt, traits: ModelTraits): string {
  return structuredRequest({ model, system, user, name: 'preference', schema: preferenceSchema, maxTokens }, traits)
}

const preferenceSchema = {
  type: 'object',
  properties: { explanation: { type: 'string' }, winner: { type: 'string', enum: ['first', 'second', 'tie'] } },
  required: ['explanation', 'winner'],
  additionalProperties: false,
}
