import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { type ExchangeLog, UnstorableExchange } from '../../exchanges/exchange-log.ts'
import type { UnsegmentedExchange } from '../../exchanges/raw-exchange.ts'
import type { Redactor, WrittenExchange } from '../../redaction/redactor.ts'
import type { SentExport } from './decode-export.ts'
import type { ExportReader } from './export-reader.ts'
import { unpack } from './export-task.ts'
import { pairDuplicates } from './pair-duplicates.ts'
import { type ReadCall, tooLarge } from './read-export.ts'
import type { SpanOwner } from './to-raw-exchange.ts'
import type { StoredSpan, TraceStore } from './trace-store.ts'

export interface TraceIngestOptions {
  readonly log: ExchangeLog
  readonly store: TraceStore
  readonly reader: ExportReader
  readonly redactor: Pick<Redactor, 'exchanges' | 'spans'>
  /** In which batches are redacted and stored. */
  readonly places: FairPlaces
  readonly now: () => Date
  readonly onEvent: (event: TraceIngestEvent) => void
}

export interface TraceIngestEvent {
  /** `known` spans were received before; `attached` spans describe an exchange that the gateway logged. */
  readonly kind: 'exchange' | 'span' | 'known' | 'attached' | 'rejected'
  readonly count: number
}

export type TraceOutcome =
  | { readonly kind: 'stored'; readonly rejected: number; readonly reason: string | null }
  | { readonly kind: 'logging-disabled' }

export interface TraceIngest {
  /**
   * Stores the spans of an export: model calls as exchanges, the others as spans, each once however often it is sent. Spans
   * that cannot be stored are rejected and counted.
   *
   * @throws ServiceError what `ExportReader` throws
   * @throws Error when the database is unavailable: the client should send the export again
   */
  ingest(workspaceId: string, sent: SentExport): Promise<TraceOutcome>
}

const unstorable = 'a span contains values that the log cannot store'

export function createTraceIngest(options: TraceIngestOptions): TraceIngest {
  const { store, reader, now, onEvent } = options
  return {
    async ingest(workspaceId, sent) {
      // Whether the workspace logs is known before the costly part.
      const settings = await store.settings(workspaceId)
      if (settings === null) return { kind: 'logging-disabled' }
      const owner = { workspaceId, ...settings }
      const read = await reader.read({ ...sent, owner, now: now() })
      const rejections = { count: read.rejected, reason: read.reason }
      const reject = (reason: string) => {
        rejections.count += 1
        rejections.reason ??= reason
      }
      const batch = { ...options, owner, reject }
      const inPlace = (write: () => Promise<void>) => options.places.run(workspaceId, write)
      for (const some of read.calls) await inPlace(() => writeExchanges(unpack(some), batch))
      for (const some of read.others) await inPlace(() => writeSpans(unpack(some), batch))
      onEvent({ kind: 'rejected', count: rejections.count - read.unread })
      return { kind: 'stored', rejected: rejections.count, reason: rejections.reason }
    },
  }
}

interface Batch extends TraceIngestOptions {
  readonly owner: SpanOwner
  readonly reject: (reason: string) => void
}

async function writeExchanges(calls: readonly ReadCall[], batch: Batch): Promise<void> {
  const { store, owner, onEvent } = batch
  const spans = calls.map(({ span }) => span)
  const { known, gatewayExchanges } = await store.related(owner.workspaceId, spans, owner)
  const unknown = calls.filter(({ span: { traceId, spanId } }) => !known.has(traceId + spanId))
  const duplicates = pairDuplicates(
    gatewayExchanges,
    unknown.map(({ span }) => span),
  )
  if (duplicates.length > 0) await store.attach(owner.workspaceId, duplicates)
  // A span inside or around an attached one describes the same exchange again.
  const reported = new Set<string | null>(gatewayExchanges.map(({ requestId }) => requestId))
  const paired = new Set(duplicates.map(({ span }) => span))
  const others = unknown.filter(({ span }) => !paired.has(span) && !reported.has(span.gatewayRequestId))
  onEvent({ kind: 'attached', count: duplicates.length })
  onEvent({ kind: 'known', count: calls.length - duplicates.length - others.length })
  const stored = await writeToLog(await readyExchanges(others, batch), batch)
  onEvent({ kind: 'exchange', count: stored })
}

async function readyExchanges(calls: readonly ReadCall[], batch: Batch): Promise<UnsegmentedExchange[]> {
  const written: WrittenExchange[] = []
  for (const call of calls) {
    if (call.written === null) batch.reject(tooLarge)
    else written.push(call.written)
  }
  const redacted = await batch.redactor.exchanges(batch.owner.workspaceId, written)
  return redacted.flatMap((each) => {
    if (each.kind === 'done') return [each.value]
    batch.reject(unstorable)
    return []
  })
}

/** If the database refuses a batch, its exchanges are written one by one, and only the refused one is rejected. */
async function writeToLog(exchanges: readonly UnsegmentedExchange[], batch: Batch): Promise<number> {
  if (exchanges.length === 0) return 0
  try {
    return await batch.log.write(exchanges)
  } catch (error) {
    if (!(error instanceof UnstorableExchange)) throw error
    if (exchanges.length === 1) {
      batch.reject(unstorable)
      return 0
    }
  }
  let stored = 0
  for (const exchange of exchanges) stored += await writeToLog([exchange], batch)
  return stored
}

async function writeSpans(spans: readonly StoredSpan[], batch: Batch): Promise<void> {
  const { store, redactor, owner, onEvent, reject } = batch
  const texts = spans.map(({ name, kind, attributes }) => ({ name, kind, attributes }))
  const redacted = await redactor.spans(owner.workspaceId, texts)
  const ready = spans.flatMap((span, index) => {
    const each = redacted[index]
    if (each?.kind === 'done') return [{ ...span, ...each.value }]
    reject(unstorable)
    return []
  })
  if (ready.length > 0) await store.writeSpans(ready)
  onEvent({ kind: 'span', count: ready.length })
}
