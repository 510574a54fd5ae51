import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { withUniqueName } from '@ratchet/db/with-unique-name'
import { withinQuota } from '@ratchet/work-kit/storage/within-quota'
import { maxTools, type ShownTool, type ToolSettings } from './environment-tool.ts'
import type { NewTool, NewVersion, ToolStore } from './tool-store.ts'

/** Tools in Postgres. */
export function createPgTools(pool: Pool): ToolStore {
  return {
    create: (tool) => withUniqueName(() => withinQuota(() => inTransaction(pool, (client) => create(client, tool)))),
    async get({ workspaceId, id }) {
      const { rows } = await pool.query<ToolRow>(getStatement, [workspaceId, id])
      return rows[0] === undefined ? null : toolOf(rows[0])
    },
    async list({ workspaceId, kind = null, limit, offset }) {
      const [counted, { rows }] = await Promise.all([
        pool.query<{ total: number }>(countStatement, [workspaceId, kind]),
        pool.query<ToolRow>(listStatement, [workspaceId, kind, limit, offset]),
      ])
      return { total: counted.rows[0]?.total ?? 0, tools: rows.map(toolOf) }
    },
    update: ({ workspaceId, toolId, version }, next) =>
      withUniqueName(() =>
        withinQuota(() =>
          inTransaction(pool, async (client) => {
            const values = [workspaceId, toolId, version, next.settings.name, next.at]
            const { rowCount } = await client.query(updateStatement, values)
            if (rowCount !== 1) return 'changed' as const
            await addVersion(client, { workspaceId, id: toolId, ...next }, version + 1)
            await client.query(forgetStatement, [workspaceId, toolId, version + 1])
            return 'updated' as const
          }),
        ),
      ),
    async delete({ workspaceId, id }) {
      const { rows } = await pool.query<DeletedRow>(deleteStatement, [workspaceId, id]).catch((error: unknown) => {
        // A run took it at the same moment.
        if ((error as { readonly code?: unknown }).code === foreignKeyViolation)
          return { rows: [{ deleted: false, used: true }] }
        throw error
      })
      if (rows[0]?.deleted === true) return 'deleted'
      return rows[0]?.used === true ? 'in_use' : 'absent'
    },
  }
}

const foreignKeyViolation = '23503'

/** Keeps these advisory locks apart from those of other tables. */
const lockSeed = 0x746f_6f6c

/** Tools of a workspace are created one after the other, so that concurrent requests cannot exceed the maximum. */
async function create(client: PoolClient, tool: NewTool): Promise<'created' | 'full'> {
  const { workspaceId, id, settings, createdBy, at } = tool
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [workspaceId, lockSeed])
  const values = [id, workspaceId, settings.name, settings.kind, createdBy, at, maxTools]
  if ((await client.query(createStatement, values)).rowCount !== 1) return 'full'
  await addVersion(client, tool, 1)
  for (let from = 0; from < tool.recordings.length; from += recordingsPerStatement) {
    const part = tool.recordings.slice(from, from + recordingsPerStatement)
    await client.query(recordStatement, [workspaceId, id, JSON.stringify(part)])
  }
  return 'created'
}

const recordingsPerStatement = 500

interface AddedVersion extends NewVersion {
  readonly workspaceId: string
  readonly id: string
}

async function addVersion(client: PoolClient, added: AddedVersion, version: number): Promise<void> {
  const { workspaceId, id, versionId, settings, secrets, at } = added
  await client.query(versionStatement, [versionId, id, workspaceId, version, JSON.stringify(settings), at])
  if (secrets === null) return
  const sealed = [secrets.keyId, Buffer.from(secrets.nonce), Buffer.from(secrets.ciphertext)]
  await client.query(secretStatement, [versionId, workspaceId, ...sealed])
}

const createStatement = `
  INSERT INTO environment_tool (id, workspace_id, name, kind, version, created_by, created_at, updated_at)
  SELECT $1, $2, $3, $4, 1, $5, $6, $6 WHERE (SELECT count(*) FROM environment_tool WHERE workspace_id = $2) < $7`

const versionStatement = `
  INSERT INTO environment_tool_version (id, tool_id, workspace_id, version, settings, created_at)
  VALUES ($1, $2, $3, $4, $5, $6)`

const secretStatement = `
  INSERT INTO environment_tool_secret (id, workspace_id, key_id, nonce, ciphertext) VALUES ($1, $2, $3, $4, $5)`

const recordStatement = `
  INSERT INTO tool_recording (tool_id, key, workspace_id, compared, arguments, result, seen)
  SELECT $2, r.key, $1, r.compared, r.arguments, r.result, r.seen
  FROM json_to_recordset($3::json) AS r(key text, compared text, arguments text, result text, seen int)`

const updateStatement = `
  UPDATE environment_tool SET name = $4, updated_at = $5, version = version + 1
  WHERE workspace_id = $1 AND id = $2 AND version = $3`

const forgetStatement = `
  DELETE FROM environment_tool_version v WHERE v.workspace_id = $1 AND v.tool_id = $2 AND v.version < $3
    AND NOT EXISTS (SELECT FROM environment_tool_use u WHERE u.version_id = v.id AND u.workspace_id = v.workspace_id)`

const deleteStatement = `
  WITH used AS (
    SELECT EXISTS (SELECT FROM environment_tool_use WHERE workspace_id = $1 AND tool_id = $2) AS used
  ), deleted AS (
    DELETE FROM environment_tool t USING used WHERE t.workspace_id = $1 AND t.id = $2 AND NOT used.used RETURNING t.id
  )
  SELECT used, EXISTS (SELECT FROM deleted) AS deleted FROM used`

interface DeletedRow {
  readonly used: boolean
  readonly deleted: boolean
}

/** Statistics are of the last 1,000 calls. */
const shown = `
  t.id, t.workspace_id, t.version, t.created_at, t.updated_at, v.id AS version_id, v.settings,
  s.key_id, s.nonce, s.ciphertext, c.calls, c.errors, c.timeouts, c.p50_ms, c.p95_ms, c.hit_rate
  FROM environment_tool t
  JOIN environment_tool_version v ON v.tool_id = t.id AND v.workspace_id = t.workspace_id AND v.version = t.version
  LEFT JOIN environment_tool_secret s ON s.id = v.id AND s.workspace_id = v.workspace_id
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS calls, (count(*) FILTER (WHERE l.outcome <> 'answered'))::int AS errors,
      (count(*) FILTER (WHERE l.outcome = 'timeout'))::int AS timeouts,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY l.duration_ms) AS p50_ms,
      percentile_cont(0.95) WITHIN GROUP (ORDER BY l.duration_ms) AS p95_ms,
      avg(l.recorded_hit::int)::float8 AS hit_rate
    FROM (
      SELECT outcome, duration_ms, recorded_hit FROM tool_call
      WHERE tool_id = t.id AND workspace_id = t.workspace_id AND answer IS NOT NULL
      ORDER BY created_at DESC LIMIT 1000
    ) l
  ) c`

const getStatement = `SELECT ${shown} WHERE t.workspace_id = $1 AND t.id = $2`
const listStatement = `
  SELECT ${shown} WHERE t.workspace_id = $1 AND ($2::text IS NULL OR t.kind = $2)
  ORDER BY t.created_at DESC, t.id DESC LIMIT $3 OFFSET $4`
const countStatement = `
  SELECT count(*)::int AS total FROM environment_tool WHERE workspace_id = $1 AND ($2::text IS NULL OR kind = $2)`

type ToolRow = Pick<Row<'environmentTool'>, 'id' | 'workspace_id' | 'version' | 'created_at' | 'updated_at'> &
  Pick<Row<'environmentToolVersion'>, 'settings'> & {
    readonly version_id: string
    readonly key_id: string | null
    readonly nonce: Buffer | null
    readonly ciphertext: Buffer | null
    readonly calls: number
    readonly errors: number
    readonly timeouts: number
    readonly p50_ms: number | null
    readonly p95_ms: number | null
    readonly hit_rate: number | null
  }

function toolOf(row: ToolRow): ShownTool {
  const { calls, errors, timeouts, p50_ms, p95_ms, hit_rate } = row
  return {
    workspaceId: row.workspace_id,
    toolId: row.id,
    versionId: row.version_id,
    version: row.version,
    settings: JSON.parse(row.settings) as ToolSettings,
    secrets: sealedOf(row),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    stats: { calls, errors, timeouts, p50_ms, p95_ms, hit_rate },
  }
}

/** The secrets of a version as the columns of a row have them; null without any. */
export function sealedOf({ key_id: keyId, nonce, ciphertext }: Pick<ToolRow, 'key_id' | 'nonce' | 'ciphertext'>) {
  if (keyId === null || nonce === null || ciphertext === null) return null
  return { keyId, nonce: new Uint8Array(nonce), ciphertext: new Uint8Array(ciphertext) }
}
