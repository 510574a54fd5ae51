import { dayMs } from '@ratchet/service-kit/timing/durations'
import { idOfText } from '@ratchet/service-kit/values/deterministic-id'
import type { RawExchange } from '../../exchanges/raw-exchange.ts'
import type { SpanExchange } from './span-exchange.ts'

export interface SpanOwner {
  readonly workspaceId: string
  readonly retentionDays: number
}

/**
 * Converts a model call of a span to an exchange, before redaction. The same span always becomes the same row, because
 * its request id is derived from workspace, trace and span. Its retention begins with the span.
 */
export function toRawExchange(exchange: SpanExchange, { workspaceId, retentionDays }: SpanOwner): RawExchange {
  const { startedAt, gatewayRequestId: _, messages, response, tools, responseFormat, params, ...known } = exchange
  const requestId = idOfText(`${workspaceId} ${exchange.traceId} ${exchange.spanId}`)
  return {
    ...known,
    id: requestId,
    requestId,
    workspaceId,
    createdAt: startedAt,
    expiresAt: retainedUntil(startedAt, retentionDays),
    source: 'otlp',
    alias: null,
    canary: false,
    fallbackFrom: null,
    cached: false,
    costNano: null,
    content: { messages, response: { ...response }, tools, responseFormat, params },
  }
}

/** The end of a retention that begins with a span. */
export function retainedUntil(startedAt: Date, retentionDays: number): Date {
  return new Date(startedAt.getTime() + retentionDays * dayMs)
}
