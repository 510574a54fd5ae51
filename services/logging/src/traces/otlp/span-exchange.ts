import { asObject } from '@ratchet/service-kit/values/json'
import type { ChatMessage } from '../../chat-form/chat-message.ts'
import { chatFinishReason } from '../../chat-form/finish-reason.ts'
import { parseJsonFacts } from '../../chat-form/parse-json-text.ts'
import type { Attributes } from './any-value.ts'
import { cleanText } from './clean-text.ts'
import {
  contentMarks,
  exchangeAttributes,
  exchangeMarks,
  exchangePrefixes,
  tagAttributes,
} from './exchange-attributes.ts'
import type { FoundContent } from './found-content.ts'
import { pickCount, pickFlag, pickNumber, pickText, pickValue } from './pick-attribute.ts'
import { readRawContent } from './raw-content.ts'
import type { OtlpSpan } from './read-spans.ts'
import { readSpanContent } from './span-content.ts'
import { readParameters } from './span-parameters.ts'

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

/** Steps of frameworks that are marked as a model call, but only prepare one. */
const notCalls = /\b_prepare_chat_with_tools$/

/** True when a span is an answered model call. Failed model calls are stored like other spans. */
export function isExchange(span: OtlpSpan): boolean {
  if (span.status === 'error' || notCalls.test(span.name)) return false
  const marked = markOf(span)
  return (marked ?? looksLikeCall(span)) && !isUnanswered(span)
}

/** What the first mark of a span says; null without any mark. */
function markOf({ attributes }: OtlpSpan): boolean | null {
  for (const { attribute, values } of exchangeMarks) {
    const value = attributes.get(attribute)
    if (typeof value === 'string') return (values as readonly string[]).includes(value)
  }
  return null
}

function looksLikeCall({ attributes }: OtlpSpan): boolean {
  if ([...attributes.keys()].some((key) => exchangePrefixes.some((prefix) => key.startsWith(prefix)))) return true
  return namesModel(attributes) && contentMarks.some((name) => attributes.has(name))
}

function namesModel(attributes: Attributes): boolean {
  const { requestedModel, servedModel } = exchangeAttributes
  return pickText(attributes, [...requestedModel, ...servedModel], 256) !== null
}

/** True for the first of two spans that Logfire sends for a stream: the second one has the prompt too, and the answer. */
function isUnanswered(span: OtlpSpan): boolean {
  if (!span.attributes.has('logfire.msg_template')) return false
  const { finishReason, completionTokens } = exchangeAttributes
  const isReported = pickValue(span.attributes, [...finishReason, ...completionTokens]) !== undefined
  return !isReported && readSpanContent(span).response === null
}

/** True for a span that names a model, but has no form that is known: only its attributes can be stored. */
export function isUnreadCall(span: OtlpSpan): boolean {
  return span.status !== 'error' && markOf(span) === null && namesModel(span.attributes) && !looksLikeCall(span)
}

const noAnswer: ChatMessage = { role: 'assistant', content: null }

/** Reads a model call from its span by any of the conventions. Missing values are empty, zero or null. */
export function readExchange(span: OtlpSpan): SpanExchange {
  const { attributes } = span
  const content = readSpanContent(span)
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
    finishReason: finishReasonOf(span, content),
    stream: pickFlag(attributes, exchangeAttributes.stream) ?? isAiSdkStream(attributes),
    promptTokens: pickCount(attributes, exchangeAttributes.promptTokens) ?? detailedCount(attributes, 'input'),
    completionTokens: pickCount(attributes, exchangeAttributes.completionTokens) ?? detailedCount(attributes, 'output'),
    reasoningTokens: pickCount(attributes, exchangeAttributes.reasoningTokens),
    gatewayRequestId: gatewayRequestId(attributes),
    messages: content.messages,
    response: content.response ?? noAnswer,
    tools: content.tools,
    responseFormat,
    params,
  }
}

/** Cuts a tag of more than 64 characters instead of rejecting the span. */
function tagOf({ attributes, resource }: OtlpSpan): string | null {
  const tag = pickText(attributes, tagAttributes.span, 256) ?? pickText(resource, tagAttributes.resource, 256)
  const isControl = /\p{Cc}/gu
  return cleanText(tag?.replace(isControl, '').trim(), 64)
}

/**
 * An answer that calls tools ended with them, also where the span has no reason. Logfire writes a list of reasons as
 * JSON. OpenInference takes the messages of a response apart, and leaves its end in the raw answer.
 */
function finishReasonOf(span: OtlpSpan, { finishReason, response }: FoundContent): string | null {
  const reported = parseJsonFacts(pickText(span.attributes, exchangeAttributes.finishReason, 64))
  const named = cleanText(Array.isArray(reported) ? reported[0] : reported, 64) ?? finishReason
  if (named === null && response?.tool_calls !== undefined) return 'tool_calls'
  return chatFinishReason(named ?? readRawContent(span)?.finishReason ?? null)
}

function isAiSdkStream(attributes: Attributes): boolean {
  return /\.doStream$/.test(pickText(attributes, ['ai.operationId'], 64) ?? '')
}

/** Langfuse's count of a kind: that of the usage of OpenAI, or the sum of counts such as `input` and `input_cached_tokens`. */
function detailedCount(attributes: Attributes, kind: 'input' | 'output'): number {
  const details = asObject(parseJsonFacts(attributes.get(exchangeAttributes.usageDetails))) ?? {}
  const counts = new Map(Object.entries(details))
  const total = pickCount(counts, [kind === 'input' ? 'prompt_tokens' : 'completion_tokens'])
  const parts = [...counts.keys()].filter((name) => name === kind || name.startsWith(`${kind}_`))
  return total ?? parts.reduce((sum, name) => sum + (pickCount(counts, [name]) ?? 0), 0)
}

function firstTokenMs({ attributes, startMs, endMs }: OtlpSpan): number | null {
  const seconds = pickNumber(attributes, exchangeAttributes.firstTokenSeconds)
  const at = attributes.get(exchangeAttributes.firstTokenAt)
  const afterStart = typeof at === 'string' ? Date.parse(at.replaceAll('"', '')) - startMs : null
  const ms =
    seconds === null ? (pickNumber(attributes, exchangeAttributes.firstTokenMs) ?? afterStart) : seconds * 1_000
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
