import { createHash } from 'node:crypto'
import type { ExchangeContent } from './logged-exchange.ts'
import type { RawContent, RawExchange, UnsegmentedExchange } from './raw-exchange.ts'
import { redactKnown } from './redact/redact-exchange.ts'
import { systemPromptOf } from './segments/system-prompt-of.ts'

/**
 * What is stored of an exchange: every way in goes through here, and nothing else redacts. The segment and the hash of
 * the prompt are those of the redacted texts, so that they tell nothing of a secret either.
 */
export function toLoggedExchange({ content, ...known }: RawExchange): UnsegmentedExchange {
  const { content: clean, identifiers, redaction } = redactKnown(content, chosenOutside(known))
  const texts = contentTexts(clean)
  return {
    ...known,
    ...identifiers,
    content: texts,
    hasToolCalls: callsTools(content.response),
    redactionCount: redaction.count,
    redactionKinds: redaction.kinds,
    sizeBytes: sizeOf(redaction.count === 0 ? texts : contentTexts(content)),
    promptHash: createHash('sha256').update(texts.messages).digest(),
    systemPrompt: systemPromptOf(clean.messages),
  }
}

/** The columns whose text a client, an exporter or a provider chooses. */
function chosenOutside(known: Omit<RawExchange, 'content'>) {
  const { servedModel, requestedModel, provider, alias, fallbackFrom, finishReason } = known
  const { tag, traceId, spanId, parentSpanId, conversationId } = known
  return {
    servedModel,
    requestedModel,
    provider,
    alias,
    fallbackFrom,
    finishReason,
    tag,
    traceId,
    spanId,
    parentSpanId,
    conversationId,
  }
}

function contentTexts({ messages, response, tools, responseFormat, params }: RawContent): ExchangeContent {
  return {
    messages: JSON.stringify(messages),
    response: JSON.stringify(response),
    tools: orNull(tools),
    responseFormat: orNull(responseFormat),
    params: JSON.stringify(params),
  }
}

function orNull(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value)
}

function sizeOf({ messages, response, tools }: ExchangeContent): number {
  return Buffer.byteLength(messages) + Buffer.byteLength(response) + Buffer.byteLength(tools ?? '')
}

function callsTools({ tool_calls: calls, function_call: call }: RawContent['response']): boolean {
  return (Array.isArray(calls) && calls.length > 0) || (typeof call === 'object' && call !== null)
}
