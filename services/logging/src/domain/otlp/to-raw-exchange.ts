import type { RawExchange } from '../raw-exchange.ts'
import { uuidV8 } from '../uuid-v8.ts'
import type { SpanExchange } from './span-exchange.ts'

export interface SpanOwner {
  readonly workspaceId: string
  readonly retentionDays: number
}

const dayMs = 86_400_000

/**
 * The exchange that a span tells of, as it goes into the log. The same span becomes the same row whenever it comes: its
 * request id is made of workspace, trace and span, and it is kept from when it happened.
 */
export function toRawExchange(exchange: SpanExchange, { workspaceId, retentionDays }: SpanOwner): RawExchange {
  const { startedAt, gatewayRequestId: _, messages, response, tools, responseFormat, params, ...known } = exchange
  const requestId = uuidV8(`${workspaceId} ${exchange.traceId} ${exchange.spanId}`)
  return {
    ...known,
    id: requestId,
    requestId,
    workspaceId,
    createdAt: startedAt,
    expiresAt: keptUntil(startedAt, retentionDays),
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
export function keptUntil(startedAt: Date, retentionDays: number): Date {
  return new Date(startedAt.getTime() + retentionDays * dayMs)
}
