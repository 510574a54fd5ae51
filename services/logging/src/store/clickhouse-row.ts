import { type CommonRow, commonColumns, commonOf } from '../exchanges/common-columns.ts'
import { expiryDay } from '../exchanges/expiry-day.ts'
import type { ExchangeContent, LoggedExchange, WholeExchange } from '../exchanges/logged-exchange.ts'
import { storedVersion } from './clickhouse-table.ts'

/** A row as ClickHouse returns it; integers of 64 bits are texts. */
export interface ExchangeRow extends CommonRow {
  readonly newest_first: string
  readonly expires_ms: string
  readonly prompt_hash: string
}

/** The columns of an exchange without its words and its content. */
export const exchangeColumns = [...commonColumns, 'newest_first', 'expires_ms'].join(', ')

export function exchangeOf(row: ExchangeRow): LoggedExchange {
  return {
    ...commonOf(row),
    createdAt: createdAtOf(row),
    expiresAt: new Date(Number(row.expires_ms)),
    promptHash: Buffer.from(row.prompt_hash, 'hex'),
  }
}

export function createdAtOf({ newest_first: newestFirst }: Pick<ExchangeRow, 'newest_first'>): Date {
  return new Date(-Number(newestFirst))
}

/** The place of a time in the order of the table. */
export function newestFirstOf(time: Date): number {
  return -time.getTime()
}

/**
 * An exchange as a row to insert.
 *
 * @throws RangeError for a number that its column cannot have: ClickHouse would store another one
 */
export function rowOf(exchange: WholeExchange, now: Date): object {
  const { content } = exchange
  return {
    expires_on: expiryDay(exchange.expiresAt),
    workspace_id: exchange.workspaceId,
    newest_first: newestFirstOf(exchange.createdAt),
    request_id: exchange.requestId,
    version: storedVersion(now),
    id: exchange.id,
    expires_ms: exchange.expiresAt.getTime(),
    retained_ms: retainedMs(exchange),
    source: exchange.source,
    served_model: textOf(exchange.servedModel),
    requested_model: textOf(exchange.requestedModel),
    provider: textOf(exchange.provider),
    alias: textOf(exchange.alias),
    canary: exchange.canary,
    fallback_from: textOf(exchange.fallbackFrom),
    tag: textOf(exchange.tag),
    trace_id: textOf(exchange.traceId),
    span_id: textOf(exchange.spanId),
    parent_span_id: textOf(exchange.parentSpanId),
    conversation_id: textOf(exchange.conversationId),
    segment: exchange.segment,
    segment_exact: exchange.segmentExact,
    finish_reason: textOf(exchange.finishReason),
    stream: exchange.stream,
    cached: exchange.cached,
    has_tool_calls: exchange.hasToolCalls,
    prompt_tokens: integer(exchange.promptTokens),
    completion_tokens: integer(exchange.completionTokens),
    reasoning_tokens: exchange.reasoningTokens === null ? null : integer(exchange.reasoningTokens),
    cost_nano: exchange.costNano === null ? null : bigInteger(exchange.costNano),
    latency_ms: exchange.latencyMs,
    ttft_ms: exchange.ttftMs,
    redaction_count: integer(exchange.redactionCount),
    redaction_kinds: exchange.redactionKinds,
    size_bytes: integer(exchange.sizeBytes),
    prompt_hash: exchange.promptHash.toString('hex'),
    words: Array.from(exchange.words, String),
    ...contentRow(content),
  }
}

function contentRow({ messages, response, tools, responseFormat, params }: ExchangeContent) {
  return {
    messages: textOf(messages),
    response: textOf(response),
    tools: textOf(tools),
    response_format: textOf(responseFormat),
    params: textOf(params),
  }
}

/** When the retention begins: at the creation, for imported exchanges at the import, which is the time of their id. */
function retainedMs({ source, id, createdAt }: WholeExchange): number {
  return source === 'import' ? Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) : createdAt.getTime()
}

/** JSON cannot say a text with half a character in a way that ClickHouse reads. */
function textOf(text: string): string
function textOf(text: string | null): string | null
function textOf(text: string | null): string | null {
  return text === null ? null : text.toWellFormed()
}

function integer(value: number): number {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 31) return value
  throw new RangeError(`not an integer of 32 bits: ${value}`)
}

function bigInteger(value: bigint): string {
  if (BigInt.asIntN(64, value) === value) return value.toString()
  throw new RangeError(`not an integer of 64 bits: ${value}`)
}
