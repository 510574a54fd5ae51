import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { type CapturedChoices, capturedExchange, testWorkspaceId } from '../capture/captured.fixture.ts'
import { readCapture } from '../capture/read-capture.ts'
import { toLoggedExchange } from '../redaction/to-logged-exchange.ts'
import type { UnsegmentedExchange } from './raw-exchange.ts'

export interface LogDatabase {
  /** Connected with the role of the logging service. */
  readonly pool: Pool
  /** Connected with all rights. */
  readonly operator: Pool
  /** Adds a workspace that logs, with this retention in days. */
  addWorkspace(id: string, retentionDays: number): Promise<void>
  drop(): Promise<void>
}

export async function logDatabase(): Promise<LogDatabase> {
  const database: FreshDatabase = await freshDatabase()
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_logging', max: 4 })
  return {
    pool,
    operator,
    async addWorkspace(id, retentionDays) {
      await operator.query("INSERT INTO workspace VALUES ($1, $2, 'W', now())", [id, `w-${id.slice(-4)}`])
      await operator.query(
        'INSERT INTO workspace_settings (workspace_id, logging_enabled, retention_days) VALUES ($1, true, $2)',
        [id, retentionDays],
      )
    },
    async drop() {
      await pool.end()
      await operator.end()
      await database.drop()
    },
  }
}

export interface ExchangeChoices extends CapturedChoices {
  readonly workspaceId?: string
  readonly system?: string
  readonly createdAt?: Date
  readonly retentionDays?: number
}

/** A redacted exchange that is ready to be stored. */
export function unsegmented(index: number, choices: ExchangeChoices = {}): UnsegmentedExchange {
  const { workspaceId = testWorkspaceId, system, createdAt = new Date(), retentionDays = 7, meta, ...rest } = choices
  const messages = [
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
    { role: 'user', content: `Question ${index}?` },
  ]
  const expiresAt = new Date(createdAt.getTime() + retentionDays * 86_400_000).toISOString()
  const captured = capturedExchange(
    index,
    { ...rest, request: { messages, ...rest.request }, meta: { workspaceId, expiresAt, ...meta } },
    createdAt,
  )
  return toLoggedExchange(readCapture(captured, `00000000-0000-7000-9000-${String(index).padStart(12, '0')}`))
}
