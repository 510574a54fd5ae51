import { chatUsage } from '../wire/usage.ts'
import type { Row } from './recorder.ts'

/** One inference request as the control report tells it. Times are Unix milliseconds. */
export interface ReportedRequest {
  /** Also the answer's `x-request-id`. */
  id: string
  model: string | null
  path: string
  stream: boolean
  idempotency_key: string | null
  /** The `x-request-id` that came with the request. */
  x_request_id: string | null
  /** Names in lower case; repeated ones joined by `, `. */
  headers: Record<string, string>
  /** The body without what it talks about (messages, input, documents, tools): settings, known or not. */
  parameters: Record<string, unknown>
  started_at_ms: number
  /** The whole reply, of whatever status, was sent. */
  completed: boolean
  /** When the peer closed the connection before that; null also for one the provider itself cut. */
  peer_left_at_ms: number | null
  tokens_emitted: number
  bytes_emitted: number
  /** What was really generated, also where the reply kept quiet about it. */
  usage: ReturnType<typeof chatUsage> | null
  status: number | null
}

/** Sums over every request since the last reset, whether or not its row is still kept. */
export interface ReportedTotals {
  requests: number
  completed: number
  peer_left: number
  tokens_emitted: number
}

/** What GET /control/report answers. */
export interface SimulatedReport {
  requests: ReportedRequest[]
  totals: ReportedTotals
}

/** The id of a row, in the report and in the answer's `x-request-id`. */
export function idOfRow(row: Row): string {
  return `req_sim_${row.sequence}`
}

/** A row as the report tells it. */
export function reportRow(row: Row): ReportedRequest {
  const headers = headersOf(row.rawHeaders)
  return {
    id: idOfRow(row),
    model: row.model,
    path: row.path,
    stream: row.stream,
    idempotency_key: headers['idempotency-key'] ?? null,
    x_request_id: headers['x-request-id'] ?? null,
    headers,
    parameters: row.parameters,
    started_at_ms: row.startedAtMs,
    completed: row.completed,
    peer_left_at_ms: row.peerLeftAtMs,
    tokens_emitted: row.tokens,
    bytes_emitted: row.bytes,
    usage: row.usage === null ? null : chatUsage(row.usage),
    status: row.status,
  }
}

function headersOf(raw: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>()
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = String(raw[index]).toLowerCase()
    const earlier = headers.get(name)
    headers.set(name, earlier === undefined ? String(raw[index + 1]) : `${earlier}, ${raw[index + 1]}`)
  }
  return Object.fromEntries(headers)
}
