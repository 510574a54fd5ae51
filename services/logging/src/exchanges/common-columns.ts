import type { LoggedExchange } from './logged-exchange.ts'

/** Columns that both stores have, as both of them return them; times, costs and hashes differ. */
export interface CommonRow {
  readonly id: string
  readonly workspace_id: string
  readonly request_id: string
  readonly source: LoggedExchange['source']
  readonly served_model: string
  readonly requested_model: string
  readonly provider: string
  readonly alias: string | null
  readonly canary: boolean
  readonly fallback_from: string | null
  readonly tag: string | null
  readonly trace_id: string | null
  readonly span_id: string | null
  readonly parent_span_id: string | null
  readonly conversation_id: string | null
  readonly segment: string
  readonly segment_exact: string
  readonly finish_reason: string | null
  readonly stream: boolean
  readonly cached: boolean
  readonly has_tool_calls: boolean
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly reasoning_tokens: number | null
  readonly cost_nano: bigint | string | null
  readonly latency_ms: number
  readonly ttft_ms: number | null
  readonly redaction_count: number
  readonly redaction_kinds: readonly string[]
  readonly size_bytes: number
}

export const commonColumns = [
  ...['id', 'workspace_id', 'request_id', 'source', 'served_model', 'requested_model', 'provider', 'alias', 'canary'],
  ...['fallback_from', 'tag', 'trace_id', 'span_id', 'parent_span_id', 'conversation_id', 'segment', 'segment_exact'],
  ...['finish_reason', 'stream', 'cached', 'has_tool_calls', 'prompt_tokens', 'completion_tokens', 'reasoning_tokens'],
  ...['cost_nano', 'latency_ms', 'ttft_ms', 'redaction_count', 'redaction_kinds', 'size_bytes', 'prompt_hash'],
] as const

/** The fields of an exchange that follow from these columns. */
export function commonOf(row: CommonRow): Omit<LoggedExchange, 'createdAt' | 'expiresAt' | 'promptHash'> {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    requestId: row.request_id,
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
  }
}
