import type { SampleFilters } from '@ratchet/contracts/internal-logs'
import { usdToNano } from '@ratchet/contracts/money'
import type { ExchangeFilter } from '../exchanges/exchange-reads.ts'

/** The filter of the log that filters of a sample mean. */
export function filterOf(filters: SampleFilters): ExchangeFilter {
  const { start, end, min_cost_usd: minCostUsd } = filters
  return {
    model: filters.model,
    tag: filters.tag,
    excludedTags: filters.exclude_tags,
    segment: filters.segment,
    finishReason: filters.finish_reason,
    cached: filters.cache_hit,
    start: start === undefined ? undefined : new Date(start),
    end: end === undefined ? undefined : new Date(end),
    traceId: filters.trace_id,
    alias: filters.alias,
    canary: filters.canary,
    minCostNano: minCostUsd === undefined ? undefined : usdToNano(minCostUsd),
    hasToolCalls: filters.has_tool_calls,
  }
}
