import type { LoggedSpan } from './logged-span.ts'
import type { WrittenTraces } from './merge-duplicates.ts'
import type { DuplicateSpan, Duplicates, GatewayExchange } from './pair-duplicates.ts'

export interface TraceSettings {
  readonly retentionDays: number
}

/** Exchanges of the log that spans may describe. */
export interface Related {
  /** Stored or attached spans, each as the concatenation of trace id and span id. */
  readonly known: ReadonlySet<string>
  readonly gatewayExchanges: readonly GatewayExchange[]
}

export interface StoredSpan extends Omit<LoggedSpan, 'attributes'> {
  /** JSON. */
  readonly attributes: string
  readonly workspaceId: string
  readonly expiresAt: Date
}

/** Stores spans that are not exchanges. Every method throws while the database is unavailable. */
export interface SpanStore {
  /** Returns null when the workspace does not log. */
  settings(workspaceId: string): Promise<TraceSettings | null>
  /** Stores spans; those that are stored already are skipped. */
  writeSpans(spans: readonly StoredSpan[]): Promise<void>
}

/** Finds exchanges that spans describe too. Every method throws while the log is unavailable. */
export interface DescribedExchanges {
  related(workspaceId: string, spans: readonly DuplicateSpan[], settings: TraceSettings): Promise<Related>
  /** Gives the exchanges the ids of their spans. An exchange that has a span keeps it. */
  attach(workspaceId: string, duplicates: readonly Duplicates[]): Promise<void>
  /** Merges the two rows of an exchange that the gateway logged and that arrived as a span too. */
  merge(written: WrittenTraces): Promise<void>
}

export type TraceStore = SpanStore & Pick<DescribedExchanges, 'related' | 'attach'>
