import type { Row } from '@ratchet/db/row'
import type { LoggedExchange } from './logged-exchange.ts'

/** A row of `exchange` as node-postgres reads it. */
export type ExchangeRow = Omit<Row<'exchange'>, 'words' | 'expires_on' | 'block_id'>

/** The columns of `exchange e` without `words`, which only the search index needs. */
export const exchangeColumns = [
  ...['id', 'workspace_id', 'request_id', 'created_at', 'expires_at', 'source', 'served_model', 'requested_model'],
  ...[
    'provider',
    'alias',
    'canary',
    'fallback_from',
    'tag',
    'trace_id',
    'span_id',
    'parent_span_id',
    'conversation_id',
  ],
  ...['segment', 'segment_exact', 'finish_reason', 'stream', 'cached', 'has_tool_calls', 'prompt_tokens'],
  ...['completion_tokens', 'reasoning_tokens', 'cost_nano', 'latency_ms', 'ttft_ms', 'redaction_count'],
  ...['redaction_kinds', 'size_bytes', 'prompt_hash'],
]
  .map((name) => `e.${name}`)
  .join(', ')

export function exchangeOf(row: ExchangeRow): LoggedExchange {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    requestId: row.request_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    source: row.source,
    servedModel: row.served_model,
    requestedModel: row.requested_model,
    provider: row.provider,
    alias: row.alias,
    canary: row.canary,
    fallbackFrom: row.fallback_from,
    tag: row.tag,
    traceId: row.trace_id,
    spanId: row.span_id,
    parentSpanId: row.parent_span_id,
    conversationId: row.conversation_id,
    segment: row.segment,
    segmentExact: row.segment_exact,
    finishReason: row.finish_reason,
    stream: row.stream,
    cached: row.cached,
    hasToolCalls: row.has_tool_calls,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    reasoningTokens: row.reasoning_tokens,
    costNano: row.cost_nano === null ? null : BigInt(row.cost_nano),
    latencyMs: row.latency_ms,
    ttftMs: row.ttft_ms,
    redactionCount: row.redaction_count,
    redactionKinds: row.redaction_kinds,
    sizeBytes: row.size_bytes,
    promptHash: row.prompt_hash,
  }
}
