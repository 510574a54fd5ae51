import { type Attributes, isRecord } from './any-value.ts'
import {
  type ChatMessage,
  chatMessage,
  chatRole,
  type SpanContent,
  type ToolCall,
  textPart,
  toolCall,
} from './chat-message.ts'
import { structuredMessages } from './exchange-attributes.ts'
import { asText, parseJsonText } from './parse-json-text.ts'
import type { OtlpSpan } from './read-spans.ts'

/** Content by OpenTelemetry's conventions for generative AI: lists of messages made of parts. */
export function readStructuredMessages(span: OtlpSpan): SpanContent | null {
  const { input, output, system, tools, events } = structuredMessages
  const details = span.events.filter(({ name }) => (events as readonly string[]).includes(name))
  const holders = [span.attributes, ...details.map(({ attributes }) => attributes)]
  const list = (name: string) => listAttribute(holders, name)
  const [inputs, outputs, instructions, definitions] = [list(input), list(output), list(system), list(tools)]
  if (inputs === null && outputs === null && instructions === null) return null
  const [answer] = outputs ?? []
  return {
    messages: [
      ...(instructions === null ? [] : [chatMessage({ role: 'system', parts: instructions.map(contentPart) })]),
      ...(inputs ?? []).flatMap((message) => readMessage(message, 'user')),
    ],
    response: answer === undefined ? null : (readMessage(answer, 'assistant')[0] ?? null),
    tools: definitions === null ? null : definitions.map(toolDefinition),
    finishReason: isRecord(answer) && typeof answer.finish_reason === 'string' ? answer.finish_reason : null,
  }
}

/** A list, or JSON of one; a text that is neither stands for a list of itself. */
function listAttribute(holders: readonly Attributes[], name: string): readonly unknown[] | null {
  const value = parseJsonText(holders.map((holder) => holder.get(name)).find((each) => each !== undefined))
  if (Array.isArray(value)) return value.map(parseJsonText)
  return value === undefined || value === null ? null : [value]
}

/** One message, or several where it holds the results of several tools. */
function readMessage(message: unknown, fallbackRole: string): readonly ChatMessage[] {
  if (!isRecord(message)) return [chatMessage({ role: fallbackRole, parts: [textPart(message)] })]
  const role = chatRole(message.role, fallbackRole)
  const parts = partsOf(message)
  const results = parts.filter(isToolResult).map(toolResult)
  const others = parts.filter((part) => !isToolResult(part))
  if (results.length > 0 && others.length === 0) return results
  const calls = others.filter(isToolCall)
  const reasoning = others.filter(isReasoning).map((part) => asText(isRecord(part) ? part.content : null))
  const shown = others.filter((part) => !isToolCall(part) && !isReasoning(part))
  const toolCallId = message.tool_call_id
  const own = chatMessage({
    role,
    name: message.name,
    parts: shown.map(contentPart),
    toolCalls: [...calls.map(partToolCall), ...chatToolCalls(message.tool_calls)],
    toolCallId,
    ...(reasoning.length === 0 ? {} : { reasoning: reasoning.join('\n') }),
  })
  return [...results, own]
}

/** Some exporters write `content` where the convention has `parts`. */
function partsOf(message: Record<string, unknown>): readonly unknown[] {
  const parts = parseJsonText(message.parts ?? null) ?? message.content ?? []
  return Array.isArray(parts) ? parts : [parts]
}

const isToolCall = (part: unknown) => isRecord(part) && part.type === 'tool_call'
const isReasoning = (part: unknown) => isRecord(part) && part.type === 'reasoning'
const isToolResult = (part: unknown) => isRecord(part) && part.type === 'tool_call_response'

function toolResult(part: unknown): ChatMessage {
  const { id, response, result } = part as Record<string, unknown>
  return chatMessage({ role: 'tool', parts: [textPart(response ?? result)], toolCallId: asText(id) })
}

function partToolCall(part: unknown): ToolCall {
  const { id, name, arguments: args } = part as Record<string, unknown>
  return toolCall(id, name, args)
}

/** Tool calls as chat completions have them. */
export function chatToolCalls(calls: unknown): readonly ToolCall[] {
  const list = parseJsonText(calls)
  if (!Array.isArray(list)) return []
  return list.filter(isRecord).map((call) => {
    const named = isRecord(call.function) ? call.function : call
    return toolCall(call.id, named.name, named.arguments)
  })
}

type PartReader = (part: Record<string, unknown>) => unknown

const partReaders: Readonly<Record<string, PartReader>> = {
  text: (part) => textPart(part.content ?? part.text),
  blob: ({ modality, mime_type: mime, content, data }) => mediaPart(modality, mime, content ?? data),
  uri: (part) => (part.modality === 'image' ? imagePart(asText(part.uri)) : part),
}

/** A part as chat completions have it; one of a kind they do not have stays as it is. */
function contentPart(part: unknown): unknown {
  if (!isRecord(part)) return textPart(part)
  const type = part.type
  const reader = typeof type === 'string' && Object.hasOwn(partReaders, type) ? partReaders[type] : undefined
  return reader === undefined ? part : reader(part)
}

function mediaPart(modality: unknown, mime: unknown, data: unknown): unknown {
  const url = `data:${asText(mime)};base64,${asText(data)}`
  if (modality === 'image') return imagePart(url)
  return { type: 'file', file: { file_data: url } }
}

function imagePart(url: string): unknown {
  return { type: 'image_url', image_url: { url } }
}

/** Definitions come flat or as chat completions have them. */
function toolDefinition(definition: unknown): unknown {
  if (!isRecord(definition) || isRecord(definition.function)) return definition
  const { type: _type, ...described } = definition
  return { type: 'function', function: described }
}
