import { isObject } from '@ratchet/service-kit/values/json'
import type { Attributes } from './any-value.ts'
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

/** Reads content by OpenTelemetry's conventions for generative AI: lists of messages with parts. */
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
    finishReason: isObject(answer) && typeof answer.finish_reason === 'string' ? answer.finish_reason : null,
  }
}

/** An attribute that is a list or a JSON list. Any other value counts as a list with one member. */
function listAttribute(holders: readonly Attributes[], name: string): readonly unknown[] | null {
  const value = parseJsonText(holders.map((holder) => holder.get(name)).find((each) => each !== undefined))
  if (Array.isArray(value)) return value.map(parseJsonText)
  return value === undefined || value === null ? null : [value]
}

/** Converts a message; one with the results of several tools becomes several messages. */
function readMessage(message: unknown, fallbackRole: string): readonly ChatMessage[] {
  if (!isObject(message)) return [chatMessage({ role: fallbackRole, parts: [textPart(message)] })]
  const role = chatRole(message.role, fallbackRole)
  const parts = partsOf(message)
  const results = parts.filter(isToolResult).map(toolResult)
  const others = parts.filter((part) => !isToolResult(part))
  if (results.length > 0 && others.length === 0) return results
  const calls = others.filter(isToolCall)
  const reasoning = others.filter(isReasoning).map((part) => asText(isObject(part) ? part.content : null))
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

/** Some exporters write `content` instead of `parts`. */
function partsOf(message: Record<string, unknown>): readonly unknown[] {
  const parts = parseJsonText(message.parts ?? null) ?? message.content ?? []
  return Array.isArray(parts) ? parts : [parts]
}

const isToolCall = (part: unknown) => isObject(part) && part.type === 'tool_call'
const isReasoning = (part: unknown) => isObject(part) && part.type === 'reasoning'
const isToolResult = (part: unknown) => isObject(part) && part.type === 'tool_call_response'

function toolResult(part: unknown): ChatMessage {
  const { id, response, result } = part as Record<string, unknown>
  return chatMessage({ role: 'tool', parts: [textPart(response ?? result)], toolCallId: asText(id) })
}

function partToolCall(part: unknown): ToolCall {
  const { id, name, arguments: args } = part as Record<string, unknown>
  return toolCall(id, name, args)
}

/** Reads tool calls in the format of chat completions. */
export function chatToolCalls(calls: unknown): readonly ToolCall[] {
  const list = parseJsonText(calls)
  if (!Array.isArray(list)) return []
  return list.filter(isObject).map((call) => {
    const named = isObject(call.function) ? call.function : call
    return toolCall(call.id, named.name, named.arguments)
  })
}

type PartReader = (part: Record<string, unknown>) => unknown

const partReaders: Readonly<Record<string, PartReader>> = {
  text: (part) => textPart(part.content ?? part.text),
  blob: ({ modality, mime_type: mime, content, data }) => mediaPart(modality, mime, content ?? data),
  uri: (part) => (part.modality === 'image' ? imagePart(asText(part.uri)) : part),
}

/** Converts a part to the format of chat completions. A part of an unknown kind is returned unchanged. */
function contentPart(part: unknown): unknown {
  if (!isObject(part)) return textPart(part)
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

/** Converts a flat definition to the format of chat completions. */
function toolDefinition(definition: unknown): unknown {
  if (!isObject(definition) || isObject(definition.function)) return definition
  const { type: _type, ...described } = definition
  return { type: 'function', function: described }
}
