import { countTokens } from '../answers/tokenize.ts'
import { type ChatMessage, readMessage } from './chat-message.ts'
import {
  booleanOf,
  decimalIn,
  type Fields,
  integerIn,
  isFields,
  itemsOf,
  wrongType,
  wrongValue,
} from './read-fields.ts'
import { type FunctionTool, type RequestedTool, readRequestedTool, readTools } from './read-tools.ts'
import { WireError } from './wire-error.ts'

/** A checked chat completion request, with the values that the answer depends on. */
export interface ChatRequest {
  messages: readonly ChatMessage[]
  stream: boolean
  includeUsage: boolean
  /** 1..128 */
  choices: number
  /** Maximum tokens of each choice; Infinity without a limit. */
  maxTokens: number
  /** The limit of the request itself; null when it sets none. */
  askedTokens: number | null
  stops: readonly string[]
  /** Alternatives per token; null when no log probabilities are requested. */
  topLogprobs: number | null
  format: AnswerFormat
  tools: readonly FunctionTool[]
  requestedTool: RequestedTool
  /** Only an explicit `parallel_tool_calls: true` makes the provider call more than one tool at once. */
  parallelTools: boolean
  promptTokens: number
}

/** `response_format`, with its schema if it has one. */
export type AnswerFormat = { kind: 'text' } | { kind: 'json_object' } | { kind: 'json_schema'; schema: Fields }

/**
 * Checks a chat completion body as OpenAI does.
 *
 * @throws WireError 400 naming the wrong parameter
 */
export function readChatRequest(body: Fields): ChatRequest {
  const messages = itemsOf(body, 'messages').map(readMessage)
  const stream = booleanOf(body, 'stream')
  const tools = readTools(body)
  decimalIn(body, 'temperature', 0, 2)
  decimalIn(body, 'top_p', 0, 1)
  const legacyLimit = integerIn(body, 'max_tokens', 1, 10_000_000)
  const askedTokens = integerIn(body, 'max_completion_tokens', 1, 10_000_000) ?? legacyLimit
  return {
    messages,
    stream,
    includeUsage: readIncludeUsage(body, stream),
    choices: integerIn(body, 'n', 1, 128) ?? 1,
    maxTokens: askedTokens ?? Infinity,
    askedTokens,
    stops: readStops(body.stop ?? null),
    topLogprobs: readTopLogprobs(body),
    format: readFormat(body.response_format ?? null),
    tools,
    requestedTool: readRequestedTool(body.tool_choice ?? null, tools),
    parallelTools: body.parallel_tool_calls === true,
    promptTokens: countPrompt(messages, body.tools),
  }
}

/** Three tokens for the frame of a message and three for the reply, as in OpenAI's counting guide. */
function countPrompt(messages: readonly ChatMessage[], tools: unknown): number {
  let tokens = 3
  for (const message of messages) tokens += 3 + message.tokens
  return Array.isArray(tools) && tools.length > 0 ? tokens + countTokens(JSON.stringify(tools)) : tokens
}

function readIncludeUsage(body: Fields, stream: boolean): boolean {
  const options = body.stream_options ?? null
  if (options === null) return false
  if (!isFields(options)) throw wrongType('stream_options', 'an object', options)
  if (!stream) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    throw new WireError(400, message, { param: 'stream_options' })
  }
  return booleanOf(options, 'include_usage')
}

function readStops(value: unknown): readonly string[] {
  const stops = value === null ? [] : Array.isArray(value) ? value : [value]
  if (stops.length > 4) {
    const message = `Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length ${stops.length} instead.`
    throw new WireError(400, message, { param: 'stop', code: 'array_above_max_length' })
  }
  return stops.map((stop) => {
    if (typeof stop !== 'string') throw wrongType('stop', 'a string', stop)
    return stop
  })
}

function readTopLogprobs(body: Fields): number | null {
  const requested = booleanOf(body, 'logprobs')
  const top = integerIn(body, 'top_logprobs', 0, 20)
  if (top !== null && !requested) {
    const message = "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled."
    throw new WireError(400, message, { param: 'top_logprobs' })
  }
  return requested ? (top ?? 0) : null
}

function readFormat(value: unknown): AnswerFormat {
  if (value === null) return { kind: 'text' }
  if (!isFields(value)) throw wrongType('response_format', 'an object', value)
  const kind = value.type
  if (kind === 'text' || kind === 'json_object') return { kind }
  if (kind !== 'json_schema') throw wrongValue('response_format.type', kind, ['json_object', 'json_schema', 'text'])
  const definition = value.json_schema
  if (!isFields(definition)) throw wrongType('response_format.json_schema', 'an object', definition ?? null)
  return { kind, schema: isFields(definition.schema) ? definition.schema : {} }
}
