import { isObject } from '@ratchet/service-kit/values/json'
import { type ChatMessage, chatRole, type ToolCall, textPart, toolCall } from '../../chat-form/chat-message.ts'
import { parseJsonText, toText } from '../../chat-form/parse-json-text.ts'
import { readMessages } from '../../chat-form/read-messages.ts'
import { chatToolCalls } from '../../chat-form/read-part.ts'
import { type SpreadMessages, spreadMessages } from './exchange-attributes.ts'
import type { FoundContent } from './found-content.ts'
import type { OtlpSpan } from './read-spans.ts'
import { listOf, type Node, nodeAt, unflatten } from './unflatten.ts'

/**
 * Reads content that is spread over attributes such as `llm.input_messages.0.message.content` or
 * `gen_ai.prompt.0.content`.
 */
export function readSpreadMessages(span: OtlpSpan): FoundContent | null {
  for (const convention of spreadMessages) {
    const content = readConvention(span, convention)
    if (content !== null) return content
  }
  return null
}

function readConvention({ attributes }: OtlpSpan, convention: SpreadMessages): FoundContent | null {
  const inputs = listOf(unflatten(attributes, convention.input)).map((node) => unwrapped(node, convention))
  const [answer] = listOf(unflatten(attributes, convention.output)).map((node) => unwrapped(node, convention))
  if (inputs.length === 0 && answer === undefined) return null
  const tools = listOf(unflatten(attributes, convention.tools))
  const finishReason = answer === undefined ? undefined : nodeAt(answer, 'finish_reason')?.value
  return {
    messages: inputs.flatMap((node) => readMessage(node, 'user')),
    response: answer === undefined ? null : (readMessage(answer, 'assistant')[0] ?? null),
    tools: tools.length === 0 ? null : tools.map(toolDefinition),
    finishReason: typeof finishReason === 'string' ? finishReason : null,
  }
}

function unwrapped(node: Node, { wrapper }: SpreadMessages): Node {
  return wrapper === null ? node : (nodeAt(node, wrapper) ?? node)
}

/** A message with the results of several tools becomes several. */
function readMessage(node: Node, fallbackRole: string): readonly ChatMessage[] {
  const value = (name: string) => nodeAt(node, name)?.value
  const functionName = value('function_call_name')
  const calls = [
    ...listOf(nodeAt(node, 'tool_calls')).map(spreadToolCall),
    ...chatToolCalls(value('tool_calls')),
    ...(typeof functionName === 'string' ? [toolCall('', functionName, value('function_call_arguments_json'))] : []),
  ]
  const spread = listOf(nodeAt(node, 'contents')).map(spreadPart)
  const content = spread.length > 0 ? spread : contentParts(value('content'))
  const said = { name: value('name'), content, tool_calls: calls, tool_call_id: value('tool_call_id') }
  return readMessages([{ ...said, role: chatRole(value('role'), fallbackRole) }], fallbackRole)
}

/** Parses content that is a JSON list of parts, as OpenLLMetry writes it. */
function contentParts(content: unknown): readonly unknown[] {
  if (content === undefined || content === null || content === '') return []
  const parts = typeof content === 'string' && content.startsWith('[') ? parseJsonText(content) : content
  const isParts = Array.isArray(parts) && parts.length > 0 && parts.every((part) => isObject(part) && 'type' in part)
  return isParts ? parts : [textPart(content)]
}

function spreadPart(node: Node): unknown {
  const part = nodeAt(node, 'message_content') ?? node
  const url = nodeAt(part, 'image', 'image', 'url')?.value ?? nodeAt(part, 'image', 'url')?.value
  if (typeof url === 'string') return { type: 'image_url', image_url: { url } }
  return textPart(nodeAt(part, 'text')?.value)
}

function spreadToolCall(node: Node): ToolCall {
  const call = nodeAt(node, 'tool_call') ?? node
  const named = nodeAt(call, 'function') ?? call
  return toolCall(nodeAt(call, 'id')?.value, nodeAt(named, 'name')?.value, nodeAt(named, 'arguments')?.value)
}

function toolDefinition(node: Node): unknown {
  const tool = nodeAt(node, 'tool') ?? node
  const schema = parseJsonText(nodeAt(tool, 'json_schema')?.value)
  if (isObject(schema) && isObject(schema.function)) return schema
  const value = (name: string) => nodeAt(tool, name)?.value
  const parameters = isObject(schema) ? schema : parseJsonText(value('parameters'))
  const description = value('description')
  return {
    type: 'function',
    function: {
      name: toText(value('name') ?? (isObject(schema) ? schema.name : undefined)),
      ...(typeof description === 'string' ? { description } : {}),
      ...(isObject(parameters) ? { parameters } : {}),
    },
  }
}
