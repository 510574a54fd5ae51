import { hash } from 'node:crypto'
import { clientMetadataIn, withClientMetadataWords } from '../exchanges/client-metadata.ts'
import { exchangeWords } from '../exchanges/exchange-words.ts'
import type { ExchangeContent } from '../exchanges/logged-exchange.ts'
import type { RawContent, RawExchange, UnsegmentedExchange } from '../exchanges/raw-exchange.ts'
import { systemPromptOf } from '../segments/system-prompt-of.ts'
import { redactKnown } from './redact-exchange.ts'

/**
 * Redacts an exchange for storage. Exchanges from every source pass through here before they are stored. Segment and
 * prompt hash are computed from the redacted texts, so that they reveal nothing of a secret either.
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
    promptHash: hash('sha256', texts.messages, 'buffer'),
    systemPrompt: systemPromptOf(clean.messages),
    words: withClientMetadataWords(
      known.workspaceId,
      exchangeWords(known.workspaceId, texts.messages, texts.response),
      {
        ...clientMetadataIn(clean.params),
        conversationId: identifiers.conversationId ?? null,
      },
    ),
  }
}

/** Columns with text that a client, an exporter or a provider chose, and that may contain a secret. */
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
