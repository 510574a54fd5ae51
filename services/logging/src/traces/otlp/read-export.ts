import { hourMs } from '@ratchet/service-kit/timing/durations'
import { contentBytes, maxContentBytes } from '../../exchanges/content-limits.ts'
import type { WrittenExchange } from '../../redaction/redactor.ts'
import { textLength } from './any-value.ts'
import { decodeExport, type SentExport } from './decode-export.ts'
import { toLoggedSpan } from './logged-span.ts'
import type { DuplicateSpan } from './pair-duplicates.ts'
import { type OtlpSpan, readSpans } from './read-spans.ts'
import { isExchange, isUnreadCall, readExchange } from './span-exchange.ts'
import { retainedUntil, type SpanOwner, toRawExchange } from './to-raw-exchange.ts'
import type { StoredSpan } from './trace-store.ts'

/** An export and what decides about its spans. */
export interface ExportOrder extends SentExport {
  readonly owner: SpanOwner
  readonly now: Date
}

/** A model call of an export. */
export interface ReadCall {
  readonly span: DuplicateSpan
  /** Null when it is too large to be stored. */
  readonly written: WrittenExchange | null
}

/** The spans of an export that are valid, each once. */
export interface ReadExport {
  readonly calls: readonly ReadCall[]
  /** Before redaction. */
  readonly others: readonly StoredSpan[]
  readonly rejected: number
  /** Why the first one was rejected; null when none was. */
  readonly reason: string | null
  /** Spans among `others`, counted as rejected too, that name a model in a form that is not known. */
  readonly unread: number
}

/** Maximum bytes of the attributes of a span as JSON. Spans with more are rejected. */
const maxBytes = maxContentBytes
/** Maximum UTF-16 units of all texts of a span; some conventions repeat the content several times. */
const maxTextLength = 4 * maxBytes
/** Milliseconds by which a client's clock may be ahead. */
const futureMs = hourMs

export const tooLarge = 'a span is larger than 512 KB'
const tooOld = 'a span is older than the retention, or in the future'
const unread = 'a span names a model, but its form is not known: it is stored as a span, not as a model call'

/**
 * Decodes an export and reads its spans, in a time that grows with its size: hundreds of milliseconds for a large one.
 *
 * @throws ServiceError 400 that names the field at fault, or `request_too_large` when it has too many parts
 */
export function readExport({ owner, now, ...sent }: ExportOrder): ReadExport {
  const rejections = countRejections()
  const valid = new Map<string, OtlpSpan>()
  for (const span of readSpans(decodeExport(sent)) ?? []) {
    const problem = typeof span === 'string' ? span : problemOf(span, owner, now)
    if (problem !== null) rejections.add(problem)
    else if (typeof span !== 'string') valid.set(span.traceId + span.spanId, span)
  }
  const calls: ReadCall[] = []
  const others: StoredSpan[] = []
  let unreadCount = 0
  for (const span of valid.values()) {
    if (isExchange(span)) {
      calls.push(readCall(span, owner))
      continue
    }
    if (isUnreadCall(span)) {
      unreadCount += 1
      rejections.add(unread)
    }
    const other = readOther(span, owner)
    if (other === null) rejections.add(tooLarge)
    else others.push(other)
  }
  return { calls, others, unread: unreadCount, ...rejections.read() }
}

function countRejections() {
  let rejected = 0
  let reason: string | null = null
  return {
    add(why: string) {
      rejected += 1
      reason ??= why
    },
    read: () => ({ rejected, reason }),
  }
}

function problemOf({ startMs, attributes, events }: OtlpSpan, { retentionDays }: SpanOwner, now: Date): string | null {
  const isTimely = startMs <= now.getTime() + futureMs && retainedUntil(new Date(startMs), retentionDays) > now
  if (!isTimely) return tooOld
  const length = events.reduce((sum, event) => sum + textLength(event.attributes), textLength(attributes))
  return length > maxTextLength ? tooLarge : null
}

function readCall(span: OtlpSpan, owner: SpanOwner): ReadCall {
  const exchange = readExchange(span)
  const { traceId, spanId, parentSpanId, startedAt, latencyMs, promptTokens, completionTokens, gatewayRequestId } =
    exchange
  const { content, ...known } = toRawExchange(exchange, owner)
  // Checked before redaction, whose time grows with the size.
  const isLarge = contentBytes(content) > maxContentBytes
  return {
    span: { traceId, spanId, parentSpanId, startedAt, latencyMs, promptTokens, completionTokens, gatewayRequestId },
    written: isLarge ? null : { known, content: JSON.stringify(content) },
  }
}

/** Null when it is too large to be stored. */
function readOther(span: OtlpSpan, { workspaceId, retentionDays }: SpanOwner): StoredSpan | null {
  const logged = toLoggedSpan(span)
  const attributes = JSON.stringify(logged.attributes)
  if (Buffer.byteLength(attributes) > maxBytes) return null
  return { ...logged, attributes, workspaceId, expiresAt: retainedUntil(logged.startedAt, retentionDays) }
}
