import type { Body } from '../../wire/dialect.ts'
import { invalid } from '../../wire/refusal.ts'
import { checkMembers } from '../check-members.ts'
import { bodyRules } from './chat-parameters.ts'
import { convertMessages } from './convert-messages.ts'
import { convertTools } from './convert-tools.ts'
import { generationConfig } from './generation-config.ts'
import { traitsOf } from './model-traits.ts'

/**
 * Converts a chat completion body to one of `generateContent`.
 *
 * @param model the model's name at Google
 * @throws Refusal naming what Google does not support
 */
export function convertRequest(body: Body, model: string): Buffer {
  checkMembers(body, '', bodyRules)
  if (!Array.isArray(body.messages)) throw invalid('messages', 'must be an array')
  const traits = traitsOf(model)
  const { systemInstruction, contents } = convertMessages(body.messages, traits.wantsSignatures)
  return Buffer.from(
    JSON.stringify({
      contents,
      systemInstruction,
      ...convertTools(body),
      generationConfig: generationConfig(body, traits),
    }),
  )
}
