import type { ExchangeLog } from '../domain/exchange-log.ts'
import type { UnsegmentedExchange } from '../domain/raw-exchange.ts'

/** Traces of one workspace around the time at which something was written to them. */
export interface WrittenTraces {
  readonly workspaceId: string
  readonly traceIds: readonly string[]
  readonly from: Date
  readonly to: Date
}

export interface DuplicateSpanStore {
  /** Makes one row of every two that are about the same exchange: that of the gateway, with the other one's span. */
  merge(written: WrittenTraces): Promise<void>
}

export interface MergeDuplicatesOptions {
  readonly log: ExchangeLog
  readonly store: DuplicateSpanStore
  readonly onFailure: (cause: unknown) => void
}

/**
 * A log that looks for twins whenever it was written to, for the gateway's row and the span may come in any order and
 * at the same time. Where the looking fails both rows stay, and nothing is written again because of it.
 */
export function mergeDuplicates({ log, store, onFailure }: MergeDuplicatesOptions): ExchangeLog {
  return {
    async write(exchanges) {
      const stored = await log.write(exchanges)
      try {
        for (const written of writtenTraces(exchanges)) await store.merge(written)
      } catch (cause) {
        onFailure(cause)
      }
      return stored
    },
  }
}

/** Other trace ids than OpenTelemetry's have no spans. */
const traceIdPattern = /^[\da-f]{32}$/

function writtenTraces(exchanges: readonly UnsegmentedExchange[]): readonly WrittenTraces[] {
  const traced = exchanges.filter(({ traceId }) => traceId !== null && traceIdPattern.test(traceId))
  return [...Map.groupBy(traced, ({ workspaceId }) => workspaceId)].map(([workspaceId, group]) => {
    const starts = group.map(({ createdAt }) => createdAt.getTime())
    const ends = group.map(({ createdAt, latencyMs }) => createdAt.getTime() + latencyMs)
    return {
      workspaceId,
      traceIds: [...new Set(group.map(({ traceId }) => traceId ?? ''))],
      from: new Date(Math.min(...starts)),
      to: new Date(Math.max(...ends)),
    }
  })
}
