import { asObject } from '@ratchet/service-kit/values/json'
import { chatMessage, textPart } from '../../chat-form/chat-message.ts'
import { parseJsonText } from '../../chat-form/parse-json-text.ts'
import { readMessages } from '../../chat-form/read-messages.ts'
import { chatToolCalls } from '../../chat-form/read-part.ts'
import { readTools } from '../../chat-form/read-tools.ts'
import { aiSdkContent } from './exchange-attributes.ts'
import type { FoundContent } from './found-content.ts'
import { pickValue } from './pick-attribute.ts'
import type { OtlpSpan } from './read-spans.ts'

/** Reads content from spans of the Vercel AI SDK. */
export function readAiSdkContent({ attributes }: OtlpSpan): FoundContent | null {
  const asked = parseJsonText(pickValue(attributes, aiSdkContent.messages))
  const text = pickValue(attributes, aiSdkContent.text)
  const reasoning = pickValue(attributes, aiSdkContent.reasoning)
  const toolCalls = chatToolCalls(pickValue(attributes, aiSdkContent.toolCalls))
  const hasAnswer = text !== undefined || toolCalls.length > 0
  if (asked === undefined && !hasAnswer) return null
  const answer = chatMessage({
    role: 'assistant',
    parts: text === undefined || text === '' ? [] : [textPart(text)],
    toolCalls,
    ...(typeof reasoning === 'string' ? { reasoning } : {}),
  })
  return {
    messages: readMessages(withPrompt(asked), 'user'),
    response: hasAnswer ? answer : null,
    tools: readTools(attributes.get(aiSdkContent.tools)),
    finishReason: null,
  }
}

/** Spans around a whole call have the system prompt beside a prompt. */
function withPrompt(asked: unknown): unknown {
  const fields = asObject(asked)
  if (fields === null || typeof fields.prompt !== 'string') return asked
  return { system: fields.system, input: fields.prompt }
}
