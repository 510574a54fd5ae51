import { type Attributes, isRecord } from './any-value.ts'
import { type ChatMessage, chatMessage, chatRole, type SpanContent, textPart } from './chat-message.ts'
import { choiceEvent, contentEvents, messageEvents, rawContent } from './exchange-attributes.ts'
import { parseJsonText } from './parse-json-text.ts'
import type { OtlpSpan } from './read-spans.ts'
import { chatToolCalls } from './structured-messages.ts'

/** Content by the conventions' older forms: an event of the span for each message, or one for the whole prompt. */
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

/** Content from what went in and came out as it was. */
export function readRawContent({ attributes }: OtlpSpan): SpanContent | null {
  return contentOf(attributes.get(rawContent.input), attributes.get(rawContent.output))
}

function contentOf(input: unknown, output: unknown): SpanContent | null {
  if (input === undefined && output === undefined) return null
  const messages = messagesIn(parseJsonText(input), 'user')
  const [response = null] = messagesIn(parseJsonText(output), 'assistant')
  return { messages, response, tools: null, finishReason: null }
}

/** Messages themselves, the request or the completion that holds them, or one text. */
function messagesIn(value: unknown, role: string): readonly ChatMessage[] {
  if (value === undefined || value === null) return []
  const held = isRecord(value) ? (value.messages ?? value.choices) : value
  if (!Array.isArray(held)) return [isRecord(value) ? readMessage(value, role) : text(role, value)]
  return held.map((each) => (isRecord(each) ? readMessage(each, role) : text(role, each)))
}

function text(role: string, value: unknown): ChatMessage {
  return chatMessage({ role, parts: [textPart(value)] })
}

/** An event's attributes as one object; some put the whole of it as JSON in one of them. */
function members(attributes: Attributes): Record<string, unknown> {
  const body = parseJsonText(attributes.get('body') ?? attributes.get('gen_ai.event.content'))
  return isRecord(body) ? body : Object.fromEntries(attributes)
}

function readMessage(said: Record<string, unknown>, fallbackRole: string): ChatMessage {
  const inner = parseJsonText(said.message)
  const message = isRecord(inner) ? inner : said
  const content = message.content ?? (typeof inner === 'string' ? inner : undefined)
  const parts = Array.isArray(content) ? content : content === undefined || content === null ? [] : [textPart(content)]
  return chatMessage({
    role: chatRole(message.role, fallbackRole),
    parts: parts.map((part) => (isRecord(part) ? part : textPart(part))),
    toolCalls: chatToolCalls(message.tool_calls),
    toolCallId: message.id ?? message.tool_call_id,
  })
}
