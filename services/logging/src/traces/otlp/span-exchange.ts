import type { Attributes } from './any-value.ts'
import type { ChatMessage, SpanContent } from './chat-message.ts'
import { cleanText } from './clean-text.ts'
import { readEventMessages, readRawContent } from './event-messages.ts'
import { exchangeAttributes, exchangeMarks, exchangePrefixes, tagAttributes } from './exchange-attributes.ts'
import { pickCount, pickFlag, pickNumber, pickText } from './pick-attribute.ts'
import type { OtlpSpan } from './read-spans.ts'
import { readParameters } from './span-parameters.ts'
import { readSpreadMessages } from './spread-messages.ts'
import { readStructuredMessages } from './structured-messages.ts'

/** A model call that a span describes, before redaction. */
export interface SpanExchange {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly startedAt: Date
  readonly latencyMs: number
  readonly ttftMs: number | null
  readonly requestedModel: string
  readonly servedModel: string
  readonly provider: string
  readonly tag: string | null
  readonly conversationId: string | null
  readonly finishReason: string | null
  readonly stream: boolean
  readonly promptTokens: number
  readonly completionTokens: number
  readonly reasoningTokens: number | null
  /** Id of the request at this gateway, if the span contains it. */
  readonly gatewayRequestId: string | null
  readonly messages: readonly ChatMessage[]
  readonly response: ChatMessage
  readonly tools: readonly unknown[] | null
  readonly responseFormat: unknown
  readonly params: Readonly<Record<string, unknown>>
}

/** True when a span is an answered model call. Failed model calls are stored like other spans. */
export function isExchange({ attributes, status }: OtlpSpan): boolean {
  if (status === 'error') return false
  for (const { attribute, values } of exchangeMarks) {
    const value = attributes.get(attribute)
    if (typeof value === 'string') return (values as readonly string[]).includes(value)
  }
  return [...attributes.keys()].some((key) => exchangePrefixes.some((prefix) => key.startsWith(prefix)))
}

/** Readers of the formats of content; the first that finds anything counts. */
const contentReaders: readonly ((span: OtlpSpan) => SpanContent | null)[] = [
  readStructuredMessages,
  readSpreadMessages,
  readEventMessages,
  readRawContent,
]
const noContent: SpanContent = { messages: [], response: null, tools: null, finishReason: null }
const noAnswer: ChatMessage = { role: 'assistant', content: null }

/** Reads a model call from its span by any of the conventions. Missing values are empty, zero or null. */
export function readExchange(span: OtlpSpan): SpanExchange {
  const { attributes } = span
  const content = firstContent(span)
  const requestedModel = pickText(attributes, exchangeAttributes.requestedModel, 256)
  const servedModel = pickText(attributes, exchangeAttributes.servedModel, 256)
  const { params, responseFormat } = readParameters(attributes)
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    startedAt: new Date(Math.floor(span.startMs)),
    latencyMs: span.endMs - span.startMs,
    ttftMs: firstTokenMs(span),
    requestedModel: requestedModel ?? servedModel ?? 'unknown',
    servedModel: servedModel ?? requestedModel ?? 'unknown',
    provider: pickText(attributes, exchangeAttributes.provider, 64) ?? 'unknown',
    tag: tagOf(span),
    conversationId: pickText(attributes, exchangeAttributes.conversationId, 128),
    finishReason: chatFinishReason(pickText(attributes, exchangeAttributes.finishReason, 64) ?? content.finishReason),
    stream: pickFlag(attributes, exchangeAttributes.stream) ?? false,
    promptTokens: pickCount(attributes, exchangeAttributes.promptTokens) ?? 0,
    completionTokens: pickCount(attributes, exchangeAttributes.completionTokens) ?? 0,
    reasoningTokens: pickCount(attributes, exchangeAttributes.reasoningTokens),
    gatewayRequestId: gatewayRequestId(attributes),
    messages: content.messages,
    response: content.response ?? noAnswer,
    tools: content.tools,
    responseFormat,
    params,
  }
}

function firstContent(span: OtlpSpan): SpanContent {
  for (const read of contentReaders) {
    const content = read(span)
    if (content !== null) return content
  }
  return noContent
}

/** Cuts a tag of more than 64 characters instead of rejecting the span. */
function tagOf({ attributes, resource }: OtlpSpan): string | null {
  const tag = pickText(attributes, tagAttributes.span, 256) ?? pickText(resource, tagAttributes.resource, 256)
  const isControl = /\p{Cc}/gu
  return cleanText(tag?.replace(isControl, '').trim(), 64)
}

function firstTokenMs({ attributes, startMs, endMs }: OtlpSpan): number | null {
  const seconds = pickNumber(attributes, exchangeAttributes.firstTokenSeconds)
  const ms = seconds === null ? null : seconds * 1_000
  return ms !== null && ms >= 0 && ms <= endMs - startMs ? ms : null
}

/** Request ids of the gateway are UUIDs, and ids of its answers may contain them. */
function gatewayRequestId(attributes: Attributes): string | null {
  for (const name of exchangeAttributes.requestId) {
    const id = pickText(attributes, [name], 256)
    const [uuid = null] = id?.toLowerCase().match(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/) ?? []
    if (uuid !== null) return uuid
  }
  return null
}

/** Other names of the finish reasons of chat completions. */
const finishReasons: ReadonlyMap<string, string> = new Map([
  ['tool_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['completed', 'stop'],
  ['max_tokens', 'length'],
  ['content-filter', 'content_filter'],
  ['safety', 'content_filter'],
])

/** Converts a finish reason to its name in chat completions. An unknown one is only converted to lower case. */
function chatFinishReason(reason: string | null): string | null {
  if (reason === null) return null
  const name = reason.toLowerCase()
  return finishReasons.get(name) ?? name
}
