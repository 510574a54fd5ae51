import { uuidOf } from '@ratchet/contracts/public-id'
import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { withinQuota } from '@ratchet/work-kit/storage/within-quota'
import { type AgentKey, maxAgents, type Owner, type StoredAgent, type StoredVersion } from './agent.ts'
import type { AgentChange, AgentStore, NewAgentVersion } from './agent-store.ts'

/** Agents in Postgres. */
export function createPgAgents(pool: Pool): AgentStore {
  return {
    create: (agent) => withinQuota(() => inTransaction(pool, (client) => create(client, agent))),
    async get({ workspaceId, id }) {
      const { rows } = await pool.query<AgentRow>(getStatement, [workspaceId, id])
      return rows[0] === undefined ? null : agentOf(rows[0])
    },
    async list({ workspaceId }: Owner, { userId, limit, offset }) {
      const [counted, { rows }] = await Promise.all([
        pool.query<{ total: number }>(countStatement, [workspaceId, userId]),
        pool.query<AgentRow>(listStatement, [workspaceId, userId, limit, offset]),
      ])
      return { total: counted.rows[0]?.total ?? 0, agents: rows.map(agentOf) }
    },
    addVersion: (key, next) => withinQuota(() => inTransaction(pool, (client) => addVersion(client, key, next))),
    async versions({ workspaceId, id }, { limit, offset }) {
      const [counted, { rows }] = await Promise.all([
        pool.query<{ total: number }>(countVersionsStatement, [workspaceId, id]),
        pool.query<VersionRow>(listVersionsStatement, [workspaceId, id, limit, offset]),
      ])
      return { total: counted.rows[0]?.total ?? 0, versions: rows.map(versionOf) }
    },
    async version({ workspaceId, id }, version) {
      const { rows } = await pool.query<VersionRow>(getVersionStatement, [workspaceId, id, version])
      return rows[0] === undefined ? null : versionOf(rows[0])
    },
    publish: (key, { version, ...change }) =>
      inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(publishStatement, [key.workspaceId, key.id, version, change.at])
        if (rowCount === 1) await insertEvent(client, key, { ...change, kind: 'published', version })
        return rowCount === 1
      }),
    delete: (key, change) =>
      inTransaction(pool, async (client) => {
        const locked = await client.query(lockStatement, [key.workspaceId, key.id])
        if (locked.rowCount !== 1) return 'absent'
        const { rowCount } = await client.query(deleteStatement, [key.workspaceId, key.id, change.at])
        if (rowCount !== 1) return 'busy'
        await insertEvent(client, key, { ...change, kind: 'deleted', version: null })
        return 'deleted'
      }),
  }
}

async function create(client: PoolClient, agent: AgentKey & NewAgentVersion): Promise<'created' | 'full' | 'no_tool'> {
  const { workspaceId, id, userId, at } = agent
  await lockWorkspace(client, agent)
  if (!(await hasTools(client, agent, agent))) return 'no_tool'
  const { rowCount } = await client.query(createStatement, [id, workspaceId, userId, at, maxAgents])
  if (rowCount !== 1) return 'full'
  await insertVersion(client, agent, { ...agent, version: 1, kind: 'created' })
  return 'created'
}

async function addVersion(
  client: PoolClient,
  key: AgentKey,
  next: NewAgentVersion & { readonly after: number; readonly publish: boolean },
): Promise<'added' | 'changed' | 'no_tool'> {
  await lockWorkspace(client, key)
  if (!(await hasTools(client, key, next))) return 'no_tool'
  const { after, publish, at } = next
  const values = [key.workspaceId, key.id, after, publish, at]
  if ((await client.query(updateStatement, values)).rowCount !== 1) return 'changed'
  await insertVersion(client, key, { ...next, version: after + 1, kind: 'changed' })
  return 'added'
}

/** Keeps these advisory locks apart from those of other tables. The same is taken by whoever deletes a tool. */
export const agentLockSeed = 0x6167_6e74

/** Agents and tools of a workspace change one after the other: the number of agents is exact, and no agent loses a tool. */
async function lockWorkspace(client: PoolClient, { workspaceId }: Owner): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [workspaceId, agentLockSeed])
}

async function hasTools(
  client: PoolClient,
  { workspaceId }: Owner,
  { spec: { tool_ids }, toolOwner }: Pick<NewAgentVersion, 'spec' | 'toolOwner'>,
): Promise<boolean> {
  if (tool_ids.length === 0) return true
  const ids = tool_ids.flatMap((id) => uuidOf('voiceTool', id) ?? [])
  const { rows } = await client.query<{ count: number }>(toolsStatement, [workspaceId, ids, toolOwner])
  return rows[0]?.count === tool_ids.length
}

interface AddedVersion extends NewAgentVersion {
  readonly version: number
  readonly kind: 'created' | 'changed'
}

async function insertVersion(client: PoolClient, { workspaceId, id }: AgentKey, added: AddedVersion): Promise<void> {
  const { versionId, version, spec, sha256, userId, at } = added
  await client.query(versionStatement, [versionId, id, workspaceId, version, JSON.stringify(spec), sha256, userId, at])
  await insertEvent(client, { workspaceId, id }, added)
}

async function insertEvent(
  client: PoolClient,
  { workspaceId, id }: AgentKey,
  event: AgentChange & { readonly kind: string; readonly version: number | null },
): Promise<void> {
  const { eventId, kind, version, userId, at } = event
  await client.query(eventStatement, [eventId, id, workspaceId, kind, version, userId, at])
}

const toolsStatement = `
  SELECT count(*)::int AS count FROM voice_tool
  WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND ($3::uuid IS NULL OR owner_user_id = $3)`

const createStatement = `
  INSERT INTO agent (id, workspace_id, owner_user_id, version, published_version, created_at, updated_at)
  SELECT $1, $2, $3, 1, 1, $4, $4
  WHERE (SELECT count(*) FROM agent WHERE workspace_id = $2 AND deleted_at IS NULL) < $5`

const versionStatement = `
  INSERT INTO agent_version (id, agent_id, workspace_id, version, spec, sha256, created_by, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

const eventStatement = `
  INSERT INTO agent_event (id, agent_id, workspace_id, kind, version, user_id, at) VALUES ($1, $2, $3, $4, $5, $6, $7)`

const updateStatement = `
  UPDATE agent SET version = version + 1, updated_at = $5,
    published_version = CASE WHEN $4 THEN version + 1 ELSE published_version END
  WHERE workspace_id = $1 AND id = $2 AND version = $3 AND deleted_at IS NULL`

const publishStatement = `
  UPDATE agent a SET published_version = $3, updated_at = $4
  WHERE a.workspace_id = $1 AND a.id = $2 AND a.deleted_at IS NULL AND EXISTS (
    SELECT FROM agent_version v WHERE v.workspace_id = $1 AND v.agent_id = $2 AND v.version = $3)`

/** No call of it can be created meanwhile. */
const lockStatement = `
  SELECT FROM agent WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL FOR UPDATE`

const deleteStatement = `
  UPDATE agent SET deleted_at = $3, updated_at = $3
  WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL AND NOT EXISTS (
    SELECT FROM call WHERE workspace_id = $1 AND agent_id = $2 AND ended_at IS NULL)
    AND NOT EXISTS (SELECT FROM voice_number WHERE workspace_id = $1 AND agent_id = $2)`

const shown = `
  a.id, a.workspace_id, a.owner_user_id, a.version, a.published_version, a.created_at, a.updated_at, v.spec,
  (c.settings->>'version')::int AS canary_version
  FROM agent a
  JOIN agent_version v ON v.agent_id = a.id AND v.workspace_id = a.workspace_id AND v.version = a.version
  LEFT JOIN agent_canary c ON c.agent_id = a.id AND c.workspace_id = a.workspace_id AND c.deleted_at IS NULL`

const getStatement = `SELECT ${shown} WHERE a.workspace_id = $1 AND a.id = $2 AND a.deleted_at IS NULL`
const listStatement = `SELECT ${shown} WHERE a.workspace_id = $1 AND a.deleted_at IS NULL
  AND ($2::uuid IS NULL OR a.owner_user_id = $2) ORDER BY a.created_at DESC, a.id DESC LIMIT $3 OFFSET $4`
const countStatement = `
  SELECT count(*)::int AS total FROM agent
  WHERE workspace_id = $1 AND deleted_at IS NULL AND ($2::uuid IS NULL OR owner_user_id = $2)`

const versionColumns = 'id, agent_id, version, spec, sha256, created_by, created_at'
const listVersionsStatement = `SELECT ${versionColumns} FROM agent_version WHERE workspace_id = $1 AND agent_id = $2
  ORDER BY version DESC LIMIT $3 OFFSET $4`
const countVersionsStatement =
  'SELECT count(*)::int AS total FROM agent_version WHERE workspace_id = $1 AND agent_id = $2'
const getVersionStatement = `SELECT ${versionColumns} FROM agent_version
  WHERE workspace_id = $1 AND agent_id = $2 AND version = $3`

type AgentRow = Pick<
  Row<'agent'>,
  'id' | 'workspace_id' | 'owner_user_id' | 'version' | 'published_version' | 'created_at' | 'updated_at'
> &
  Pick<Row<'agentVersion'>, 'spec'> & { readonly canary_version: number | null }

type VersionRow = Pick<
  Row<'agentVersion'>,
  'id' | 'agent_id' | 'version' | 'spec' | 'sha256' | 'created_by' | 'created_at'
>

function agentOf(row: AgentRow): StoredAgent {
  return {
    workspaceId: row.workspace_id,
    id: row.id,
    userId: row.owner_user_id,
    version: row.version,
    publishedVersion: row.published_version,
    canaryVersion: row.canary_version,
    spec: row.spec as unknown as AgentSpec,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function versionOf(row: VersionRow): StoredVersion {
  return {
    id: row.id,
    agentId: row.agent_id,
    version: row.version,
    spec: row.spec as unknown as AgentSpec,
    sha256: row.sha256,
    createdBy: row.created_by,
    createdAt: row.created_at,
  }
}
