import { connectPool } from '@ratchet/db/connect-pool'
import { storedExchanges } from '@ratchet/testing/stored-exchanges'
import type { RunningFleet } from './shared-fleet/shared-fleet.ts'

/** A row of the log with its parsed content. */
export interface LoggedRow {
  readonly id: string
  readonly request_id: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly served_model: string
  readonly requested_model: string
  readonly provider: string
  readonly fallback_from: string | null
  readonly tag: string | null
  readonly trace_id: string | null
  readonly segment: string
  readonly finish_reason: string | null
  readonly stream: boolean
  readonly cached: boolean
  readonly has_tool_calls: boolean
  readonly prompt_tokens: number
  readonly completion_tokens: number
  /** Nano-dollars. */
  readonly cost_nano: string | null
  readonly latency_ms: number
  readonly ttft_ms: number | null
  readonly redaction_count: number
  readonly redaction_kinds: readonly string[]
  readonly size_bytes: number
  readonly messages: readonly Record<string, unknown>[]
  readonly response: Readonly<Record<string, unknown>>
  readonly tools: unknown
  readonly params: Readonly<Record<string, unknown>>
}

/** Reads all logged exchanges of a workspace from the database, oldest first. */
export async function readLog(
  { databaseUrl }: Pick<RunningFleet, 'databaseUrl'>,
  workspaceId: string,
): Promise<readonly LoggedRow[]> {
  const pool = connectPool({ databaseUrl, max: 1 })
  try {
    const rows = await storedExchanges<Omit<LoggedRow, 'messages' | 'response' | 'tools' | 'params'>>(
      pool,
      'e.workspace_id = $1',
      [workspaceId],
    )
    return rows.map(({ messages, response, tools, params, ...row }) => {
      const [parsedMessages, parsedResponse, parsedTools, parsedParams] = [messages, response, tools, params].map(
        (text) => (text === null ? null : JSON.parse(text)),
      )
      const content = { messages: parsedMessages, response: parsedResponse, tools: parsedTools, params: parsedParams }
      return { ...row, ...content }
    })
  } finally {
    await pool.end()
  }
}
