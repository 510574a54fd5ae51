import type { LogRow } from '@ratchet/contracts/logs'
import { nanoToUsd } from '@ratchet/contracts/money'
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

/** The JSON of a whole entry. The content is stored as JSON and copied without parsing. */
export function logEntryJson(row: LogRow, content: ExchangeContent): string {
  const { messages, response, tools, responseFormat, params } = content
  const members = [
    `"messages":${messages}`,
    `"response":${response}`,
    `"tools":${tools ?? 'null'}`,
    `"response_format":${responseFormat ?? 'null'}`,
    `"params":${params}`,
  ]
  return `${JSON.stringify(row).slice(0, -1)},${members.join(',')}}`
}
