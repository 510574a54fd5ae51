import { isObject } from '@ratchet/service-kit/values/json'
import type { Attributes } from './any-value.ts'
import { type ChatMessage, chatMessage, chatRole, type SpanContent, textPart } from './chat-message.ts'
import { choiceEvent, contentEvents, messageEvents, rawContent } from './exchange-attributes.ts'
import { parseJsonText } from './parse-json-text.ts'
import type { OtlpSpan } from './read-spans.ts'
import { chatToolCalls } from './structured-messages.ts'

/** Reads content in older formats of the conventions: an event for each message, or one for the whole prompt. */
export function readEventMessages(span: OtlpSpan): SpanContent | null {
  const messages = span.events.flatMap(({ name, attributes }) => {
    const role = Object.hasOwn(messageEvents, name) ? messageEvents[name] : undefined
    return role === undefined ? [] : [readMessage(members(attributes), role)]
  })
  const choice = span.events.find(({ name }) => name === choiceEvent)
  if (messages.length === 0 && choice === undefined) return readContentEvents(span)
  const said = choice === undefined ? null : members(choice.attributes)
  const reason = said?.finish_reason
  return {
    messages,
    response: said === null ? null : readMessage(said, 'assistant'),
    tools: null,
    finishReason: typeof reason === 'string' ? reason : null,
  }
}

function readContentEvents({ events }: OtlpSpan): SpanContent | null {
  const find = ({ event, attribute }: { event: string; attribute: string }) =>
    events.find(({ name }) => name === event)?.attributes.get(attribute)
  return contentOf(find(contentEvents.prompt), find(contentEvents.completion))
}

/** Reads content from the raw input and output of the span. */
export function readRawContent({ attributes }: OtlpSpan): SpanContent | null {
  return contentOf(attributes.get(rawContent.input), attributes.get(rawContent.output))
}

function contentOf(input: unknown, output: unknown): SpanContent | null {
  if (input === undefined && output === undefined) return null
  const messages = messagesIn(parseJsonText(input), 'user')
  const [response = null] = messagesIn(parseJsonText(output), 'assistant')
  return { messages, response, tools: null, finishReason: null }
}

/** Reads messages from a list of messages, a request, a completion, or a single text. */
function messagesIn(value: unknown, role: string): readonly ChatMessage[] {
  if (value === undefined || value === null) return []
  const held = isObject(value) ? (value.messages ?? value.choices) : value
  if (!Array.isArray(held)) return [isObject(value) ? readMessage(value, role) : text(role, value)]
  return held.map((each) => (isObject(each) ? readMessage(each, role) : text(role, each)))
}

function text(role: string, value: unknown): ChatMessage {
  return chatMessage({ role, parts: [textPart(value)] })
}

/** The attributes of an event as one object. Some exporters write the whole object as JSON into one attribute. */
function members(attributes: Attributes): Record<string, unknown> {
  const body = parseJsonText(attributes.get('body') ?? attributes.get('gen_ai.event.content'))
  return isObject(body) ? body : Object.fromEntries(attributes)
}

function readMessage(said: Record<string, unknown>, fallbackRole: string): ChatMessage {
  const inner = parseJsonText(said.message)
  const message = isObject(inner) ? inner : said
  const content = message.content ?? (typeof inner === 'string' ? inner : undefined)
  const parts = Array.isArray(content) ? content : content === undefined || content === null ? [] : [textPart(content)]
  return chatMessage({
    role: chatRole(message.role, fallbackRole),
    parts: parts.map((part) => (isObject(part) ? part : textPart(part))),
    toolCalls: chatToolCalls(message.tool_calls),
    toolCallId: message.id ?? message.tool_call_id,
  })
}
