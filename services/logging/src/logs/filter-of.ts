import type { LogFilters } from '@ratchet/contracts/log-filters'
import { usdToNano } from '@ratchet/contracts/money'
import type { ExchangeFilter } from '../exchanges/exchange-reads.ts'

/** Converts query parameters to a filter. */
export function filterOf(query: LogFilters): ExchangeFilter {
  return {
    model: query.model,
    tag: query.tag,
    segment: query.segment,
    finishReason: query.finish_reason,
    cached: query.cache_hit,
    start: query.start,
    end: query.end,
    traceId: query.trace_id,
    alias: query.alias,
    canary: query.canary,
    minCostNano: query.min_cost_usd === undefined ? undefined : usdToNano(query.min_cost_usd),
    hasToolCalls: query.has_tool_calls,
    words: query.q,
    user: query.user,
    conversationId: query.conversation_id,
    metadata: query.metadata,
  }
}
