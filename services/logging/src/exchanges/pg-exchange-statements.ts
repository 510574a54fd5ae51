import type { WholeExchange } from './logged-exchange.ts'

interface Column {
  readonly name: string
  readonly type: string
  readonly value: (exchange: WholeExchange) => unknown
}

const exchangeColumns: readonly Column[] = [
  { name: 'id', type: 'uuid', value: ({ id }) => id },
  { name: 'workspace_id', type: 'uuid', value: ({ workspaceId }) => workspaceId },
  { name: 'request_id', type: 'uuid', value: ({ requestId }) => requestId },
  { name: 'created_at', type: 'timestamptz', value: ({ createdAt }) => createdAt.toISOString() },
  { name: 'expires_at', type: 'timestamptz', value: ({ expiresAt }) => expiresAt.toISOString() },
  { name: 'source', type: 'exchange_source', value: ({ source }) => source },
  { name: 'served_model', type: 'text', value: ({ servedModel }) => servedModel },
  { name: 'requested_model', type: 'text', value: ({ requestedModel }) => requestedModel },
  { name: 'provider', type: 'text', value: ({ provider }) => provider },
  { name: 'alias', type: 'text', value: ({ alias }) => alias },
  { name: 'canary', type: 'boolean', value: ({ canary }) => canary },
  { name: 'fallback_from', type: 'text', value: ({ fallbackFrom }) => fallbackFrom },
  { name: 'tag', type: 'text', value: ({ tag }) => tag },
  { name: 'trace_id', type: 'text', value: ({ traceId }) => traceId },
  { name: 'span_id', type: 'text', value: ({ spanId }) => spanId },
  { name: 'parent_span_id', type: 'text', value: ({ parentSpanId }) => parentSpanId },
  { name: 'conversation_id', type: 'text', value: ({ conversationId }) => conversationId },
  { name: 'segment', type: 'text', value: ({ segment }) => segment },
  { name: 'segment_exact', type: 'text', value: ({ segmentExact }) => segmentExact },
  { name: 'finish_reason', type: 'text', value: ({ finishReason }) => finishReason },
  { name: 'stream', type: 'boolean', value: ({ stream }) => stream },
  { name: 'cached', type: 'boolean', value: ({ cached }) => cached },
  { name: 'has_tool_calls', type: 'boolean', value: ({ hasToolCalls }) => hasToolCalls },
  { name: 'prompt_tokens', type: 'integer', value: ({ promptTokens }) => promptTokens },
  { name: 'completion_tokens', type: 'integer', value: ({ completionTokens }) => completionTokens },
  { name: 'reasoning_tokens', type: 'integer', value: ({ reasoningTokens }) => reasoningTokens },
  { name: 'cost_nano', type: 'bigint', value: ({ costNano }) => costNano },
  { name: 'latency_ms', type: 'double precision', value: ({ latencyMs }) => latencyMs },
  { name: 'ttft_ms', type: 'double precision', value: ({ ttftMs }) => ttftMs },
  { name: 'redaction_count', type: 'integer', value: ({ redactionCount }) => redactionCount },
  { name: 'size_bytes', type: 'integer', value: ({ sizeBytes }) => sizeBytes },
  { name: 'prompt_hash', type: 'bytea', value: ({ promptHash }) => promptHash },
]

/** `unnest` flattens nested arrays, so the kinds are passed as one comma-separated text. */
const kindsColumn: Column = {
  name: 'kinds',
  type: 'text',
  value: ({ redactionKinds }) => redactionKinds.join(','),
}

/** Also a list, passed as an array literal. */
const wordsColumn: Column = { name: 'words', type: 'text', value: ({ words }) => words }

const contentColumns: readonly Column[] = [
  { name: 'messages', type: 'text', value: ({ content }) => content.messages },
  { name: 'response', type: 'text', value: ({ content }) => content.response },
  { name: 'tools', type: 'text', value: ({ content }) => content.tools },
  { name: 'response_format', type: 'text', value: ({ content }) => content.responseFormat },
  { name: 'params', type: 'text', value: ({ content }) => content.params },
]

const columns = [...exchangeColumns, kindsColumn, wordsColumn, ...contentColumns]

const exchangeNames = namesOf(exchangeColumns)
const contentNames = namesOf(contentColumns)

const text = `
  WITH input AS (
    SELECT * FROM unnest(${columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')})
      AS input(${namesOf(columns)})
  ), stored AS (
    INSERT INTO exchange (expires_on, redaction_kinds, words, ${exchangeNames})
    SELECT (expires_at AT TIME ZONE 'UTC')::date, string_to_array(kinds, ','),
      words::bigint[], ${exchangeNames} FROM input
    ON CONFLICT (expires_on, workspace_id, request_id) DO NOTHING
    RETURNING expires_on, id
  )
  INSERT INTO exchange_content (expires_on, id, ${contentNames})
  SELECT expires_on, id, ${contentNames} FROM input JOIN stored USING (id)`

/**
 * Stores exchanges with their content and skips those whose request is stored already. `rowCount` is the number of new
 * rows.
 */
export function insertExchanges(exchanges: readonly WholeExchange[]) {
  return { name: 'logging-insert-exchanges', text, values: columns.map(({ value }) => exchanges.map(value)) }
}

function namesOf(of: readonly Column[]): string {
  return of.map(({ name }) => name).join(', ')
}
