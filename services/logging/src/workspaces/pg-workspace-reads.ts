import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { createRunStatement } from '../exchanges/pg-run-read.ts'

/** A workspace and its settings for logging. */
export interface LoggingSettings {
  readonly slug: string
  readonly name: string
  readonly isLogging: boolean
  readonly retentionDays: number
}

type SettingsRow = Pick<Row<'workspace'>, 'slug' | 'name'> &
  Pick<Row<'workspaceSettings'>, 'logging_enabled' | 'retention_days'>

export type WorkspaceReads = ReturnType<typeof createPgWorkspaceReads>

/** Reads about a workspace as a whole in Postgres. */
export function createPgWorkspaceReads(pool: Pool, places?: FairPlaces) {
  const runOf = createRunStatement(pool, places)
  return {
    /** Returns null when the workspace was deleted. */
    async settings(workspaceId: string): Promise<LoggingSettings | null> {
      const text = 'SELECT * FROM workspace_logging_settings WHERE workspace_id = $1'
      const [row] = await runOf(workspaceId)<SettingsRow>({ text, values: [workspaceId], isPrepared: true })
      return row === undefined ? null : settingsOf(row)
    },
  }
}

function settingsOf({ slug, name, logging_enabled, retention_days }: SettingsRow): LoggingSettings {
  return { slug, name, isLogging: logging_enabled, retentionDays: retention_days }
}
