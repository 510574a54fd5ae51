import type { PutAgentCanary } from '@ratchet/contracts/voice/canaries'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import type { AgentKey } from '../agents/agent.ts'
import type { CanaryFinding, CanaryStore, StoredCanary } from './canary.ts'
import { readCounts } from './pg-canary-counts.ts'

/** Canaries of agents in Postgres. */
export function createPgCanaries(pool: Pool): CanaryStore {
  return {
    async get({ workspaceId, id }) {
      const { rows } = await pool.query<CanaryRow>(getStatement, [workspaceId, id])
      return rows[0] === undefined ? null : canaryOf(rows[0])
    },
    begin: (agent, { settings, targetVersion, ...change }) =>
      inTransaction(pool, async (client) => {
        const { workspaceId, id } = agent
        const values = [workspaceId, id, JSON.stringify(settings), targetVersion, change.userId, change.at]
        const { rowCount } = await client.query(beginStatement, [...values, settings.version])
        if (rowCount !== 1) return false
        await note(client, agent, { ...change, kind: 'canary_set', version: settings.version })
        return true
      }),
    end: (agent, change) =>
      inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(endStatement, [agent.workspaceId, agent.id, change.at])
        if (rowCount !== 1) return false
        await note(client, agent, { ...change, kind: 'canary_ended', version: null })
        return true
      }),
    counts: (canary) => readCounts(pool, canary),
    async take(limit, everyMs) {
      const { rows } = await pool.query<CanaryRow>(takeStatement, [limit, everyMs])
      return rows.map(canaryOf)
    },
    async saveLook({ workspaceId, agentId, epoch }, finding, at) {
      await pool.query(lookStatement, [workspaceId, agentId, epoch, JSON.stringify(finding), at])
    },
    decide: (canary, { kind, finding, eventId, at }) =>
      inTransaction(pool, async (client) => {
        const { workspaceId, agentId, epoch, userId, settings } = canary
        const values = [workspaceId, agentId, epoch, JSON.stringify(finding), at]
        if ((await client.query(decideStatement, values)).rowCount !== 1) return false
        const agent = { workspaceId, id: agentId }
        const { version } = settings
        if (kind === 'promoted') await client.query(publishStatement, [workspaceId, agentId, version, at])
        await note(client, agent, { eventId, userId, at, kind: `canary_${kind}`, version })
        return true
      }),
    restart: (canary, { eventId, at }) =>
      inTransaction(pool, async (client) => {
        const { workspaceId, agentId, epoch, userId, settings } = canary
        if ((await client.query(restartStatement, [workspaceId, agentId, epoch, at])).rowCount !== 1) return
        const agent = { workspaceId, id: agentId }
        await note(client, agent, { eventId, userId, at, kind: 'canary_reset', version: settings.version })
      }),
    async gradable(canary, limit) {
      const { workspaceId, agentId, epoch, settings } = canary
      const values = [workspaceId, agentId, epoch, settings.gate_criterion_id, limit]
      return (await pool.query<{ id: string; instrument: number }>(gradableStatement, values)).rows
    },
    async saveGrades({ workspaceId, settings }, grades) {
      await pool.query(gradesStatement, [
        workspaceId,
        settings.gate_criterion_id,
        grades.map(({ id }) => id),
        grades.map(({ grade }) => grade),
        grades.map(({ probability }) => probability),
        grades.map(({ skipProbability }) => skipProbability),
      ])
    },
  }
}

interface Noted {
  readonly eventId: string
  readonly userId: string
  readonly at: Date
  readonly kind: string
  readonly version: number | null
}

async function note(client: PoolClient, { workspaceId, id }: AgentKey, event: Noted): Promise<void> {
  const { eventId, kind, version, userId, at } = event
  await client.query(noteStatement, [eventId, id, workspaceId, kind, version, userId, at])
}

const noteStatement = `
  INSERT INTO agent_event (id, agent_id, workspace_id, kind, version, user_id, at) VALUES ($1, $2, $3, $4, $5, $6, $7)`

const columns = `
  c.agent_id, c.workspace_id, c.settings, c.target_version, c.epoch, c.user_id, c.started_at, c.finding, c.looks,
  c.looked_at, c.decided_at`

const getStatement = `SELECT ${columns} FROM agent_canary c
  WHERE c.workspace_id = $1 AND c.agent_id = $2 AND c.deleted_at IS NULL`

const beginStatement = `
  INSERT INTO agent_canary (agent_id, workspace_id, settings, target_version, epoch, user_id, started_at)
  SELECT a.id, a.workspace_id, $3, $4, 1, $5, $6 FROM agent a
  WHERE a.workspace_id = $1 AND a.id = $2 AND a.deleted_at IS NULL AND EXISTS (
    SELECT FROM agent_version v WHERE v.workspace_id = $1 AND v.agent_id = $2 AND v.version = $7)
  ON CONFLICT (agent_id) DO UPDATE SET settings = $3, target_version = $4, epoch = agent_canary.epoch + 1, user_id = $5,
    started_at = $6, finding = NULL, looks = 0, looked_at = NULL, decided_at = NULL, deleted_at = NULL`

const endStatement = `UPDATE agent_canary SET deleted_at = $3
  WHERE workspace_id = $1 AND agent_id = $2 AND deleted_at IS NULL`

/** A process that dies leaves a canary to the others for the next time. */
const takeStatement = `
  UPDATE agent_canary c SET looked_at = now()
  WHERE c.agent_id IN (SELECT d.agent_id FROM agent_canary d JOIN agent a ON a.id = d.agent_id AND a.deleted_at IS NULL
    WHERE d.decided_at IS NULL AND d.deleted_at IS NULL AND (d.settings ->> 'percent')::float8 > 0
      AND (d.looked_at IS NULL OR d.looked_at <= now() - $2 * interval '1 millisecond')
    ORDER BY d.looked_at NULLS FIRST LIMIT $1 FOR UPDATE OF d SKIP LOCKED)
  RETURNING ${columns}`

/** Saves a finding, with an event when its state is another one than before, and one that a person should know of. */
function noticing(set: string): string {
  return `
  WITH before AS (SELECT agent_id, finding ->> 'state' AS state FROM agent_canary ${live} FOR UPDATE),
  changed AS (
    UPDATE agent_canary c SET finding = $4, looks = looks + 1, ${set} FROM before b
    WHERE c.workspace_id = $1 AND c.agent_id = b.agent_id RETURNING c.*, b.state AS state_before
  ),
  noticed AS (
    INSERT INTO voice_notice (workspace_id, subject_id, type, data, created_at)
    SELECT c.workspace_id, c.agent_id, 'agent.canary.' || (c.finding ->> 'state'), jsonb_build_object(
      'object', 'agent.canary', 'agent_id', 'agent_' || replace(c.agent_id::text, '-', ''), 'state', c.finding ->> 'state',
      'reason', c.finding ->> 'reason', 'version', c.settings -> 'version', 'target_version', c.target_version,
      'epoch', c.epoch), clock_timestamp()
    FROM changed c WHERE c.state_before IS DISTINCT FROM c.finding ->> 'state'
      AND c.finding ->> 'state' IN ('promote_ready', 'promoted', 'rollback_recommended', 'rolled_back', 'starved')
  )
  SELECT FROM changed`
}

const live = `WHERE workspace_id = $1 AND agent_id = $2 AND epoch = $3 AND decided_at IS NULL AND deleted_at IS NULL`
const lookStatement = noticing('looked_at = $5')
const decideStatement = noticing('looked_at = $5, decided_at = $5')
const restartStatement = `
  UPDATE agent_canary SET epoch = epoch + 1, started_at = $4, finding = NULL, looks = 0 ${live}`
const publishStatement = `
  UPDATE agent SET published_version = $3, updated_at = $4 WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL`

const gradableStatement = `
  SELECT v.call_id AS id, v.instrument FROM call_verdict v JOIN call k ON k.id = v.call_id AND k.workspace_id = v.workspace_id
  WHERE k.workspace_id = $1 AND k.agent_id = $2 AND k.canary_epoch = $3 AND v.criterion_id = $4::uuid AND v.state = 'done'
  ORDER BY v.read_at NULLS FIRST LIMIT $5`

const gradesStatement = `
  UPDATE call_verdict v SET grade = g.grade, grade_probability = g.probability, skip_probability = g.skipped, read_at = now()
  FROM unnest($3::uuid[], $4::text[], $5::float8[], $6::float8[]) AS g(id, grade, probability, skipped)
  WHERE v.workspace_id = $1 AND v.criterion_id = $2::uuid AND v.call_id = g.id`

type CanaryRow = Omit<Row<'agentCanary'>, 'deleted_at'>

function canaryOf(row: CanaryRow): StoredCanary {
  return {
    workspaceId: row.workspace_id,
    agentId: row.agent_id,
    settings: row.settings as unknown as PutAgentCanary,
    targetVersion: row.target_version,
    epoch: row.epoch,
    userId: row.user_id,
    startedAt: row.started_at,
    finding: row.finding as unknown as CanaryFinding | null,
    looks: row.looks,
    lookedAt: row.looked_at,
    decidedAt: row.decided_at,
  }
}
