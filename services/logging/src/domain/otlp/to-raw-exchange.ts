import { createHash } from 'node:crypto'
import type { RawExchange } from '../raw-exchange.ts'
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
  const requestId = spanRequestId(workspaceId, exchange)
  return {
    ...known,
    id: requestId,
    requestId,
    workspaceId,
    createdAt: startedAt,
    expiresAt: keptUntil(startedAt, retentionDays),
    source: 'otlp',
    ...{ alias: null, canary: false, fallbackFrom: null, cached: false, costNano: null },
    content: { messages, response: { ...response }, tools, responseFormat, params },
  }
}

/** The end of a retention that begins with a span. */
export function keptUntil(startedAt: Date, retentionDays: number): Date {
  return new Date(startedAt.getTime() + retentionDays * dayMs)
}

/** A UUID of version 8, whose bits are ours to choose. */
function spanRequestId(workspaceId: string, { traceId, spanId }: SpanExchange): string {
  const hex = createHash('sha256').update(`${workspaceId} ${traceId} ${spanId}`).digest('hex')
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) & 3]
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-')
}
