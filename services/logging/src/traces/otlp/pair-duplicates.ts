/** An exchange that the gateway logged. */
export interface GatewayExchange {
  readonly id: string
  /** Its day of expiry, which names the partition. */
  readonly expiresOn: string
  readonly requestId: string
  readonly traceId: string | null
  /** Null until a span is attached to it. */
  readonly spanId: string | null
  readonly createdAt: Date
  readonly promptTokens: number
  readonly completionTokens: number
}

/** The members of a span by which the same exchange is found among those of the gateway. */
export interface DuplicateSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly startedAt: Date
  readonly latencyMs: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly gatewayRequestId: string | null
}

export interface Duplicates<Span extends DuplicateSpan = DuplicateSpan> {
  readonly exchange: GatewayExchange
  readonly span: Span
}

/** Milliseconds by which the client's clock may differ from the gateway's. */
export const clockSkewMs = 1_000

/**
 * Finds the gateway's exchange for each span. An exchange matches when the span names its request, or when the request
 * arrived while the span of the same trace was open and the span's token counts, if known, are equal. Pairs with known
 * counts have precedence, then those nearest in time. Every exchange and every span belongs to at most one pair.
 */
export function pairDuplicates<Span extends DuplicateSpan>(
  exchanges: readonly GatewayExchange[],
  spans: readonly Span[],
): readonly Duplicates<Span>[] {
  const free = exchanges.filter(({ spanId }) => spanId === null)
  const likely = spans.flatMap((span) =>
    free.flatMap((exchange) => {
      const distance = distanceOf(exchange, span)
      return distance === null ? [] : [{ exchange, span, distance }]
    }),
  )
  likely.sort((a, b) => a.distance - b.distance)
  const taken = new Set<GatewayExchange | Span>()
  return likely.filter(({ exchange, span }) => {
    if (taken.has(exchange) || taken.has(span)) return false
    taken.add(exchange).add(span)
    return true
  })
}

/** Added to the distance, in milliseconds, when the span has no token counts. */
const unknownTokensPenalty = 1e12

/** A measure of how unlikely the pair is; -1 when the span names the request, null when it is impossible. */
function distanceOf(exchange: GatewayExchange, span: DuplicateSpan): number | null {
  if (span.gatewayRequestId === exchange.requestId) return -1
  if (span.traceId !== exchange.traceId) return null
  const afterStartMs = exchange.createdAt.getTime() - span.startedAt.getTime()
  if (afterStartMs < -clockSkewMs || afterStartMs > span.latencyMs + clockSkewMs) return null
  const fits =
    isUnknownOrEqual(exchange.promptTokens, span.promptTokens) &&
    isUnknownOrEqual(exchange.completionTokens, span.completionTokens)
  if (!fits) return null
  const isSame = exchange.promptTokens === span.promptTokens && exchange.completionTokens === span.completionTokens
  return Math.abs(afterStartMs) + (isSame ? 0 : unknownTokensPenalty)
}

function isUnknownOrEqual(count: number, reported: number): boolean {
  return reported === 0 || reported === count
}
