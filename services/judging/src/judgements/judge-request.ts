import { type ModelTraits, structuredRequest } from '@ratchet/judge-kit/prompt/structured-request'
import type { JudgePrompt } from './build-judge-prompt.ts'

/** Tokens: a verdict takes some hundred. */
const maxTokens = 2_048

/** The chat completion that asks a judge, as JSON. */
export function judgeRequest(model: string, { system, user }: JudgePrompt, traits: ModelTraits): string {
  return structuredRequest({ model, system, user, name: 'verdict', schema: verdictSchema, maxTokens }, traits)
}

const verdictSchema = {
  type: 'object',
  properties: { explanation: { type: 'string' }, verdict: { type: 'string', enum: ['PASS', 'FAIL'] } },
  required: ['explanation', 'verdict'],
  additionalProperties: false,
}
