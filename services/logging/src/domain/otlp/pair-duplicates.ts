/** A row of an exchange that went through the gateway. */
export interface GatewayRow {
  readonly id: string
  /** The day of its partition. */
  readonly expiresOn: string
  readonly requestId: string
  readonly traceId: string | null
  /** Null as long as no span was attached to it. */
  readonly spanId: string | null
  readonly createdAt: Date
  readonly promptTokens: number
  readonly completionTokens: number
}

/** What a span tells that decides which row is about the same exchange. */
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
  readonly row: GatewayRow
  readonly span: Span
}

/** Milliseconds by which the client's clock may differ from ours. */
export const clockSkewMs = 1_000

/**
 * Finds the rows that are about the same exchange as a span: the span names its request, or the request came while the
 * span of the same trace was open, and the token counts that the span tells are those of the row. Where several fit, those
 * whose counts are told go first and then the nearest in time. Every row and every span has one twin at most.
 */
export function pairDuplicates<Span extends DuplicateSpan>(
  rows: readonly GatewayRow[],
  spans: readonly Span[],
): readonly Duplicates<Span>[] {
  const free = rows.filter(({ spanId }) => spanId === null)
  const likely = spans.flatMap((span) =>
    free.flatMap((row) => {
      const strangeness = strangenessOf(row, span)
      return strangeness === null ? [] : [{ row, span, strangeness }]
    }),
  )
  likely.sort((a, b) => a.strangeness - b.strangeness)
  const taken = new Set<GatewayRow | Span>()
  return likely.filter(({ row, span }) => {
    if (taken.has(row) || taken.has(span)) return false
    taken.add(row).add(span)
    return true
  })
}

/** As if it were that many milliseconds away. */
const untoldTokens = 1e12

/** How unlikely it is that both are about the same exchange, -1 where the span says so; null where it cannot be. */
function strangenessOf(row: GatewayRow, span: DuplicateSpan): number | null {
  if (span.gatewayRequestId === row.requestId) return -1
  if (span.traceId !== row.traceId) return null
  const afterStartMs = row.createdAt.getTime() - span.startedAt.getTime()
  if (afterStartMs < -clockSkewMs || afterStartMs > span.latencyMs + clockSkewMs) return null
  const fits =
    isUntoldOr(row.promptTokens, span.promptTokens) && isUntoldOr(row.completionTokens, span.completionTokens)
  if (!fits) return null
  const isSame = row.promptTokens === span.promptTokens && row.completionTokens === span.completionTokens
  return Math.abs(afterStartMs) + (isSame ? 0 : untoldTokens)
}

function isUntoldOr(count: number, reported: number): boolean {
  return reported === 0 || reported === count
}
