import { asObject } from '@ratchet/service-kit/values/json'
import type { Body } from '../wire/dialect.ts'

const demand = 'Answer with one valid JSON object and nothing else: no Markdown, no code fence, no text around it.'

/**
 * A request for any JSON object, for a provider that can follow only a schema: the model is told to write one, in a
 * system message after all others, so that no other message has another place. The same object when the request asks for
 * something else.
 */
export function withJsonDemand(body: Body): Body {
  if (asObject(body.response_format)?.type !== 'json_object' || !Array.isArray(body.messages)) return body
  const { response_format, messages, ...rest } = body
  return { ...rest, messages: [...messages, { role: 'system', content: demand }] }
}
