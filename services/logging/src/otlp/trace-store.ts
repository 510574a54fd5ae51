import type { DuplicateSpan, Duplicates, GatewayRow } from '../domain/otlp/pair-duplicates.ts'
import type { SpanRow } from '../domain/otlp/span-row.ts'

export interface TraceSettings {
  readonly retentionDays: number
}

/** What the log holds already that spans could be about. */
export interface Related {
  /** Spans with a row of their own or attached to one, as trace id and span id in one. */
  readonly known: ReadonlySet<string>
  readonly gatewayRows: readonly GatewayRow[]
}

export interface StoredSpan extends Omit<SpanRow, 'attributes'> {
  /** JSON. */
  readonly attributes: string
  readonly workspaceId: string
  readonly expiresAt: Date
}

/** The log as trace ingest needs it. Everything throws when the database is away. */
export interface TraceStore {
  /** Null for a workspace that does not log. */
  settings(workspaceId: string): Promise<TraceSettings | null>
  related(workspaceId: string, spans: readonly DuplicateSpan[], settings: TraceSettings): Promise<Related>
  /** Attaches spans to the rows that are about the same exchange. */
  attach(duplicates: readonly Duplicates[]): Promise<void>
  /** Stores spans, those apart that are stored already. */
  writeSpans(spans: readonly StoredSpan[]): Promise<void>
}
