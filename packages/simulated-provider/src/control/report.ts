import { chatUsage } from '../wire/usage.ts'
import type { ReportedTotals, Row } from './row.ts'

/** One inference request in the control report. Times are Unix milliseconds. */
export interface ReportedRequest {
  /** Also the answer's `x-request-id`. */
  id: string
  model: string | null
  path: string
  stream: boolean
  idempotency_key: string | null
  /** The `x-request-id` of the request. */
  x_request_id: string | null
  /** Names in lower case; repeated ones joined by `, `. */
  headers: Record<string, string>
  /** The body without its content (messages, input, documents, tools): all settings, known or not. */
  parameters: Record<string, unknown>
  started_at_ms: number
  /** True when the complete reply, of any status, was sent. */
  completed: boolean
  /** When the client closed the connection before that; null also when the provider itself cut it. */
  peer_left_at_ms: number | null
  tokens_emitted: number
  bytes_emitted: number
  /** The real usage, also when the reply did not report it. */
  usage: ReturnType<typeof chatUsage> | null
  status: number | null
}

/** The answer of GET /control/report. */
export interface SimulatedReport {
  requests: ReportedRequest[]
  totals: ReportedTotals
}

/** The id of a row, in the report and in the answer's `x-request-id`. */
export function idOfRow(row: Row): string {
  return `req_sim_${row.sequence}`
}

/** A row in the form of the report. */
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
