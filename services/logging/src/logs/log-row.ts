import type { LogRow } from '@ratchet/contracts/logs'
import { nanoToUsd } from '@ratchet/contracts/money'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { parseExact } from '@ratchet/service-kit/values/exact-json'
import type { Fields } from '@ratchet/service-kit/values/json'
import { clientMetadataIn, withoutClientMetadata } from '../exchanges/client-metadata.ts'
import type { ReadScope } from '../exchanges/exchange-reads.ts'
import type { ExchangeContent, LoggedExchange } from '../exchanges/logged-exchange.ts'
import { logIdOf } from './log-id.ts'

/** An exchange without its content, as the API returns it. */
export function logRowOf(exchange: LoggedExchange, stepIndex: number | null): LogRow {
  const { promptTokens, completionTokens, costNano } = exchange
  return {
    object: 'log',
    id: logIdOf(exchange.id),
    created_at: exchange.createdAt.toISOString(),
    expires_at: exchange.expiresAt.toISOString(),
    model: exchange.servedModel,
    served_model: exchange.servedModel,
    requested_model: exchange.requestedModel,
    alias: exchange.alias,
    canary: exchange.canary,
    fallback_from: exchange.fallbackFrom,
    provider: exchange.provider,
    tag: exchange.tag,
    trace_id: exchange.traceId,
    span_id: exchange.spanId,
    parent_span_id: exchange.parentSpanId,
    conversation_id: exchange.conversationId,
    step_index: stepIndex,
    segment: exchange.segment,
    segment_exact: exchange.segmentExact,
    finish_reason: exchange.finishReason,
    stream: exchange.stream,
    cached: exchange.cached,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    reasoning_tokens: exchange.reasoningTokens,
    cost_usd: costNano === null ? null : nanoToUsd(costNano),
    latency_ms: exchange.latencyMs,
    ttft_ms: exchange.ttftMs,
    redaction: { count: exchange.redactionCount, kinds: [...exchange.redactionKinds] },
    source: exchange.source,
  }
}

/**
 * The row as a scope with a shorter retention shows it, although the sweep has not shortened the entry yet. The retention of an
 * imported entry begins with the import, however old it is.
 */
export function withinRetention(row: LogRow, { retentionDays }: Pick<ReadScope, 'retentionDays'>): LogRow {
  if (row.source === 'import') return row
  const expiresAt = earliestExpiry(row, retentionDays)
  return expiresAt === row.expires_at ? row : { ...row, expires_at: expiresAt }
}

/** When an entry expires at the latest under a retention. */
export function earliestExpiry(
  { created_at: createdAt, expires_at: expiresAt }: Pick<LogRow, 'created_at' | 'expires_at'>,
  retentionDays: number | undefined,
): string {
  if (retentionDays === undefined) return expiresAt
  const kept = new Date(Date.parse(createdAt) + retentionDays * dayMs).toISOString()
  return kept < expiresAt ? kept : expiresAt
}

/**
 * The JSON of a whole entry. The content is stored as JSON and copied without parsing, except the parameters, among which user
 * and metadata are stored.
 */
export function logEntryJson(row: LogRow, content: ExchangeContent): string {
  const { messages, response, tools, responseFormat } = content
  const { user, metadata, ...rest } = parseExact(content.params) as Fields
  const named = clientMetadataIn({ user, metadata }, Number.POSITIVE_INFINITY)
  const params = { ...rest, ...withoutClientMetadata({ user, metadata }) }
  const members = [
    `"messages":${messages}`,
    `"response":${response}`,
    `"tools":${tools ?? 'null'}`,
    `"response_format":${responseFormat ?? 'null'}`,
    `"params":${JSON.stringify(params)}`,
    `"user":${JSON.stringify(named.user)}`,
    `"metadata":${JSON.stringify(named.metadata)}`,
  ]
  return `${JSON.stringify(row).slice(0, -1)},${members.join(',')}}`
}
