import { publicId } from '@ratchet/contracts/public-id'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { withUniqueName } from '@ratchet/db/with-unique-name'
import type { SealedSecret } from '@ratchet/service-kit/identity/secret-box'
import { agentLockSeed } from '../agents/pg-agents.ts'
import type { VoiceToolStore } from './tool-store.ts'
import { maxTools, type StoredTool, type ToolKey, type ToolSettings } from './voice-tool.ts'

/** Tools of voice agents in Postgres. */
export function createPgVoiceTools(pool: Pool): VoiceToolStore {
  return {
    create: (tool) =>
      withUniqueName(() =>
        inTransaction(pool, async (client) => {
          const { workspaceId, id, name, settings, secrets, userId, at } = tool
          await lockWorkspace(client, tool)
          const values = [id, workspaceId, userId, name, JSON.stringify(settings), at, maxTools]
          if ((await client.query(createStatement, values)).rowCount !== 1) return 'full' as const
          await client.query(createSecretStatement, [id, workspaceId, ...columnsOf(secrets)])
          return 'created' as const
        }),
      ),
    async get({ workspaceId, id }) {
      const { rows } = await pool.query<ToolRow>(getStatement, [workspaceId, id])
      return rows[0] === undefined ? null : toolOf(rows[0])
    },
    async list({ workspaceId, userId, limit, offset }) {
      const [counted, { rows }] = await Promise.all([
        pool.query<{ total: number }>(countStatement, [workspaceId, userId]),
        pool.query<ToolRow>(listStatement, [workspaceId, userId, limit, offset]),
      ])
      return { total: counted.rows[0]?.total ?? 0, tools: rows.map(toolOf) }
    },
    update: ({ workspaceId, id, version }, { name, settings, secrets, at }) =>
      withUniqueName(() =>
        inTransaction(pool, async (client) => {
          const values = [workspaceId, id, version, name, JSON.stringify(settings), at]
          if ((await client.query(updateStatement, values)).rowCount !== 1) return 'changed' as const
          await client.query(updateSecretStatement, [workspaceId, id, ...columnsOf(secrets)])
          return 'updated' as const
        }),
      ),
    delete: (key) =>
      inTransaction(pool, async (client) => {
        await lockWorkspace(client, key)
        const named = JSON.stringify([publicId('voiceTool', key.id)])
        const { rows } = await client.query<{ name: string }>(usersStatement, [key.workspaceId, named])
        if (rows.length > 0) return rows.map(({ name }) => name)
        const { rowCount } = await client.query(deleteStatement, [key.workspaceId, key.id])
        return rowCount === 1 ? ('deleted' as const) : ('absent' as const)
      }),
  }
}

async function lockWorkspace(client: PoolClient, { workspaceId }: Pick<ToolKey, 'workspaceId'>): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [workspaceId, agentLockSeed])
}

function columnsOf({ keyId, nonce, ciphertext }: SealedSecret) {
  return [keyId, Buffer.from(nonce), Buffer.from(ciphertext)]
}

const createStatement = `
  INSERT INTO voice_tool (id, workspace_id, owner_user_id, name, settings, created_at, updated_at)
  SELECT $1, $2, $3, $4, $5, $6, $6 WHERE (SELECT count(*) FROM voice_tool WHERE workspace_id = $2) < $7`

const createSecretStatement = `
  INSERT INTO voice_tool_secret (id, workspace_id, key_id, nonce, ciphertext) VALUES ($1, $2, $3, $4, $5)`

const updateStatement = `
  UPDATE voice_tool SET name = $4, settings = $5, updated_at = $6, version = version + 1
  WHERE workspace_id = $1 AND id = $2 AND version = $3`

const updateSecretStatement = `
  UPDATE voice_tool_secret SET key_id = $3, nonce = $4, ciphertext = $5 WHERE workspace_id = $1 AND id = $2`

/** Agents whose newest or published version has the tool. */
const usersStatement = `
  SELECT DISTINCT newest.spec ->> 'name' AS name
  FROM agent a
  JOIN agent_version v ON v.agent_id = a.id AND v.workspace_id = a.workspace_id
    AND v.version IN (a.version, a.published_version)
  JOIN agent_version newest ON newest.agent_id = a.id AND newest.workspace_id = a.workspace_id
    AND newest.version = a.version
  WHERE a.workspace_id = $1 AND a.deleted_at IS NULL AND v.spec -> 'tool_ids' @> $2::jsonb
  ORDER BY 1 LIMIT 5`

const deleteStatement = 'DELETE FROM voice_tool WHERE workspace_id = $1 AND id = $2'

const shown = `
  t.id, t.workspace_id, t.owner_user_id, t.name, t.version, t.settings, t.created_at, t.updated_at, s.key_id, s.nonce, s.ciphertext
  FROM voice_tool t JOIN voice_tool_secret s ON s.id = t.id AND s.workspace_id = t.workspace_id`

const getStatement = `SELECT ${shown} WHERE t.workspace_id = $1 AND t.id = $2`
const listStatement = `SELECT ${shown} WHERE t.workspace_id = $1 AND ($2::uuid IS NULL OR t.owner_user_id = $2)
  ORDER BY t.created_at DESC, t.id DESC LIMIT $3 OFFSET $4`
const countStatement = `
  SELECT count(*)::int AS total FROM voice_tool
  WHERE workspace_id = $1 AND ($2::uuid IS NULL OR owner_user_id = $2)`

type ToolRow = Pick<
  Row<'voiceTool'>,
  'id' | 'workspace_id' | 'owner_user_id' | 'name' | 'version' | 'settings' | 'created_at' | 'updated_at'
> & { readonly key_id: string; readonly nonce: Buffer; readonly ciphertext: Buffer }

function toolOf(row: ToolRow): StoredTool {
  return {
    workspaceId: row.workspace_id,
    id: row.id,
    userId: row.owner_user_id,
    name: row.name,
    version: row.version,
    settings: row.settings as unknown as ToolSettings,
    secrets: {
      keyId: row.key_id,
      nonce: new Uint8Array(row.nonce),
      ciphertext: new Uint8Array(row.ciphertext),
    },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
