import type { ExchangeLog } from '../../exchanges/exchange-log.ts'
import type { UnsegmentedExchange } from '../../exchanges/raw-exchange.ts'

/** Traces of one workspace to which exchanges were written, and the time range of these exchanges. */
export interface WrittenTraces {
  readonly workspaceId: string
  readonly traceIds: readonly string[]
  readonly from: Date
  readonly to: Date
}

export interface MergeDuplicatesOptions {
  readonly log: ExchangeLog
  /**
   * Merges the two rows of an exchange that the gateway logged and a span describes: the gateway's row gets the span's
   * ids.
   */
  readonly merge: (written: WrittenTraces) => Promise<void>
  readonly onFailure: (cause: unknown) => void
}

/**
 * A log that merges duplicates after every write, because the gateway's row and the span may arrive in any order and at
 * the same time. If merging fails, both rows stay and the write still counts as successful.
 */
export function mergeDuplicates({ log, merge, onFailure }: MergeDuplicatesOptions): ExchangeLog {
  return {
    async write(exchanges) {
      const stored = await log.write(exchanges)
      try {
        for (const written of writtenTraces(exchanges)) await merge(written)
      } catch (cause) {
        onFailure(cause)
      }
      return stored
    },
  }
}

/** Only trace ids in the format of OpenTelemetry can have spans. */
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
