import { setImmediate as nextTurn } from 'node:timers/promises'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { type ExchangeLog, UnstorableExchange } from '../../exchanges/exchange-log.ts'
import type { UnsegmentedExchange } from '../../exchanges/raw-exchange.ts'
import type { Redactor, WrittenExchange } from '../../redaction/redactor.ts'
import { textLength } from './any-value.ts'
import { toLoggedSpan } from './logged-span.ts'
import { pairDuplicates } from './pair-duplicates.ts'
import { type OtlpSpan, readSpans } from './read-spans.ts'
import { isExchange, isUnreadCall, readExchange, type SpanExchange } from './span-exchange.ts'
import { retainedUntil, type SpanOwner, toRawExchange } from './to-raw-exchange.ts'
import type { StoredSpan, TraceStore } from './trace-store.ts'

export interface TraceIngestOptions {
  readonly log: ExchangeLog
  readonly store: TraceStore
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
  | { readonly kind: 'malformed' }
  | { readonly kind: 'logging-disabled' }

export interface TraceIngest {
  /**
   * Stores the spans of a decoded export: model calls as exchanges, the others as spans, each once however often it is
   * sent. Spans that cannot be stored are rejected and counted.
   *
   * @throws Error when the database is unavailable: the client should send the export again
   */
  ingest(workspaceId: string, request: unknown): Promise<TraceOutcome>
}

/**
 * Maximum bytes of an exchange's messages, tools and answer as JSON, or of a span's attributes. Larger ones are
 * rejected.
 */
const maxBytes = 512 * 1024
/** Maximum UTF-16 units of all texts of a span; some conventions repeat the content several times. */
const maxTextLength = 4 * maxBytes
/** Spans that are stored together; other requests can run between two batches. */
const batchSize = 100
/** Milliseconds by which a client's clock may be ahead. */
const futureMs = hourMs

const tooLarge = 'a span is larger than 512 KB'
const tooOld = 'a span is older than the retention, or in the future'
const unread = 'a span names a model, but its form is not known: it is stored as a span, not as a model call'
const unstorable = 'a span contains values that the log cannot store'

export function createTraceIngest(options: TraceIngestOptions): TraceIngest {
  const { store, onEvent } = options
  return {
    async ingest(workspaceId, request) {
      const settings = await store.settings(workspaceId)
      if (settings === null) return { kind: 'logging-disabled' }
      const read = readSpans(request)
      if (read === null) return { kind: 'malformed' }
      const rejections: { count: number; reason: string | null } = { count: 0, reason: null }
      const reject = (reason: string) => {
        rejections.count += 1
        rejections.reason ??= reason
      }
      const batch = { ...options, owner: { workspaceId, ...settings }, reject }
      const spans = await acceptSpans(read, batch)
      const inPlace = (write: () => Promise<void>) => options.places.run(workspaceId, write)
      const { calls, others, unreadCount } = await sortSpans(spans, batch)
      for (const some of batches(calls)) await inPlace(() => writeExchanges(some, batch))
      for (const some of batches(others)) await inPlace(() => writeSpans(some, batch))
      onEvent({ kind: 'rejected', count: rejections.count - unreadCount })
      return { kind: 'stored', rejected: rejections.count, reason: rejections.reason }
    },
  }
}

interface Batch extends TraceIngestOptions {
  readonly owner: SpanOwner
  readonly reject: (reason: string) => void
}

/** The valid spans, each once. Rejects the others. */
async function acceptSpans(read: Iterable<OtlpSpan | string>, { owner, now, reject }: Batch): Promise<OtlpSpan[]> {
  const spans = new Map<string, OtlpSpan>()
  let count = 0
  for (const span of read) {
    count += 1
    if (count % batchSize === 0) await nextTurn()
    const problem = typeof span === 'string' ? span : problemOf(span, owner, now())
    if (problem !== null) reject(problem)
    else if (typeof span !== 'string') spans.set(span.traceId + span.spanId, span)
  }
  return [...spans.values()]
}

/** Divides spans into model calls and others. Those of the others that may be calls in an unknown form are counted too. */
async function sortSpans(spans: readonly OtlpSpan[], { reject }: Batch) {
  const calls: OtlpSpan[] = []
  const others: OtlpSpan[] = []
  let unreadCount = 0
  for (const [index, span] of spans.entries()) {
    if (index % batchSize === 0) await nextTurn()
    const isCall = isExchange(span)
    if (isCall) calls.push(span)
    else others.push(span)
    if (isCall || !isUnreadCall(span)) continue
    unreadCount += 1
    reject(unread)
  }
  return { calls, others, unreadCount }
}

function problemOf({ startMs, attributes, events }: OtlpSpan, { retentionDays }: SpanOwner, now: Date): string | null {
  const isTimely = startMs <= now.getTime() + futureMs && retainedUntil(new Date(startMs), retentionDays) > now
  if (!isTimely) return tooOld
  const length = events.reduce((sum, event) => sum + textLength(event.attributes), textLength(attributes))
  return length > maxTextLength ? tooLarge : null
}

function batches(spans: readonly OtlpSpan[]): readonly (readonly OtlpSpan[])[] {
  const count = Math.ceil(spans.length / batchSize)
  return Array.from({ length: count }, (_, index) => spans.slice(index * batchSize, (index + 1) * batchSize))
}

async function writeExchanges(spans: readonly OtlpSpan[], batch: Batch): Promise<void> {
  const { store, owner, onEvent } = batch
  const read: SpanExchange[] = []
  for (const span of spans) {
    await nextTurn()
    read.push(readExchange(span))
  }
  const { known, gatewayExchanges } = await store.related(owner.workspaceId, read, owner)
  const unknown = read.filter(({ traceId, spanId }) => !known.has(traceId + spanId))
  const duplicates = pairDuplicates(gatewayExchanges, unknown)
  if (duplicates.length > 0) await store.attach(owner.workspaceId, duplicates)
  // A span inside or around an attached one describes the same exchange again.
  const reported = new Set<string | null>(gatewayExchanges.map(({ requestId }) => requestId))
  const paired = new Set(duplicates.map(({ span }) => span))
  const others = unknown.filter((exchange) => !paired.has(exchange) && !reported.has(exchange.gatewayRequestId))
  onEvent({ kind: 'attached', count: duplicates.length })
  onEvent({ kind: 'known', count: read.length - duplicates.length - others.length })
  const stored = await writeToLog(await readyExchanges(others, batch), batch)
  onEvent({ kind: 'exchange', count: stored })
}

async function readyExchanges(exchanges: readonly SpanExchange[], batch: Batch): Promise<UnsegmentedExchange[]> {
  const written: WrittenExchange[] = []
  for (const exchange of exchanges) {
    await nextTurn()
    const { content, ...known } = toRawExchange(exchange, batch.owner)
    const { messages, response, tools } = content
    // Checked before redaction, whose time grows with the size.
    if (sizeOf(messages, response, tools) > maxBytes) batch.reject(tooLarge)
    else written.push({ known, content: JSON.stringify(content) })
  }
  const redacted = await batch.redactor.exchanges(written)
  return redacted.flatMap((each) => {
    if (each.kind === 'done') return [each.value]
    batch.reject(unstorable)
    return []
  })
}

/** Bytes of values as JSON; null counts as 0. */
function sizeOf(...values: readonly unknown[]): number {
  return values.reduce<number>(
    (bytes, value) => bytes + (value === null ? 0 : Buffer.byteLength(JSON.stringify(value))),
    0,
  )
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

async function writeSpans(spans: readonly OtlpSpan[], batch: Batch): Promise<void> {
  const { store, owner, redactor, onEvent, reject } = batch
  const written: WrittenSpan[] = []
  for (const span of spans) {
    await nextTurn()
    const logged = toLoggedSpan(span)
    const attributes = JSON.stringify(logged.attributes)
    if (Buffer.byteLength(attributes) > maxBytes) reject(tooLarge)
    else written.push({ ...logged, attributes })
  }
  const redacted = await redactor.spans(written.map(({ name, kind, attributes }) => ({ name, kind, attributes })))
  const ready = written.flatMap((span, index) => {
    const texts = redacted[index]
    if (texts?.kind === 'done') return [{ ...span, ...texts.value, ...ownedBy(owner, span.startedAt) }]
    reject(unstorable)
    return []
  })
  if (ready.length > 0) await store.writeSpans(ready)
  onEvent({ kind: 'span', count: ready.length })
}

type WrittenSpan = Omit<StoredSpan, 'workspaceId' | 'expiresAt'>

function ownedBy({ workspaceId, retentionDays }: SpanOwner, startedAt: Date) {
  return { workspaceId, expiresAt: retainedUntil(startedAt, retentionDays) }
}
