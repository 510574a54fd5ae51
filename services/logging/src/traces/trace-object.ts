import { nanoToUsd } from '@ratchet/contracts/money'
import type { Trace, TraceSpan } from '@ratchet/contracts/traces'
import { parseExact } from '@ratchet/service-kit/values/exact-json'
import type { ReadScope } from '../exchanges/exchange-reads.ts'
import { earliestExpiry } from '../logs/log-row.ts'
import type { ReadSpan, TraceSummary } from './trace-reads.ts'

/** Milliseconds without a new step after which a trace can be complete. */
const quietMs = 600_000

/** A trace is completed when its last step is an answer, not a tool call, and no step followed for ten minutes. */
export function isCompleted(
  { lastFinishReason, lastAt }: Pick<TraceSummary, 'lastFinishReason' | 'lastAt'>,
  at: Date,
): boolean {
  return lastFinishReason === 'stop' && lastAt <= quietSince(at)
}

/** Traces with a step after this time may still get another one. */
export function quietSince(at: Date): Date {
  return new Date(at.getTime() - quietMs)
}

/** A trace as the API returns it. */
export function traceObjectOf(
  summary: TraceSummary,
  { at, retentionDays }: Pick<ReadScope, 'at' | 'retentionDays'>,
): Trace {
  const [created_at, expires_at] = [summary.firstAt.toISOString(), summary.expiresAt.toISOString()]
  const shortened = earliestExpiry({ created_at, expires_at }, retentionDays)
  return {
    object: 'trace',
    id: summary.id,
    first_at: created_at,
    last_at: summary.lastAt.toISOString(),
    steps: summary.steps,
    models: [...summary.models],
    tags: [...summary.tags],
    total_tokens: summary.totalTokens,
    cost_usd: nanoToUsd(summary.costNano),
    error_count: summary.errorCount,
    completed: isCompleted(summary, at),
    // A trace that can be read after this time has imported steps, whose retention begins with the import.
    expires_at: shortened > at.toISOString() ? shortened : expires_at,
  }
}

/** A span as the API returns it; without attributes when they were not read. */
export function traceSpanOf({ attributes, ...span }: ReadSpan): TraceSpan {
  return {
    span_id: span.spanId,
    parent_span_id: span.parentSpanId,
    name: span.name,
    kind: span.kind,
    started_at: span.startedAt.toISOString(),
    ended_at: span.endedAt.toISOString(),
    status: span.status,
    ...(attributes === null ? {} : { attributes: attributesOf(attributes) }),
  }
}

/** @param text JSON of an object */
export function attributesOf(text: string): Record<string, unknown> {
  return parseExact(text) as Record<string, unknown>
}
