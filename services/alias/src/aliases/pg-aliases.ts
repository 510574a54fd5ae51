import { uuidOf } from '@ratchet/contracts/public-id'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { withinAuditShare } from '@ratchet/work-kit/storage/within-audit-share'
import { insertLook } from '../gate/pg-gate-looks.ts'
import { enqueueEvent } from '../webhooks/pg-enqueue-event.ts'
import type { AliasChange, StoredAlias, StoredAliasEvent } from './alias.ts'
import { type AliasTotals, requireRoom, requireRoomForRules } from './alias-room.ts'
import { insertEvent } from './pg-alias-events.ts'
import { type AliasRow, aliasOf, aliasRow } from './pg-alias-row.ts'

export interface AliasKey {
  readonly workspaceId: string
  readonly name: string
}

export interface AliasFilter {
  readonly workspaceId: string
  readonly limit: number
  readonly offset: number
}

export type AliasStore = ReturnType<typeof createPgAliases>

/** Aliases in Postgres. A change and its row of the audit are one transaction. */
export function createPgAliases(pool: Pool) {
  return {
    async get({ workspaceId, name }: AliasKey): Promise<StoredAlias | null> {
      const text = 'SELECT * FROM alias WHERE workspace_id = $1 AND name = $2'
      const { rows } = await pool.query<AliasRow>(text, [workspaceId, name])
      return rows[0] === undefined ? null : aliasOf(rows[0])
    },
    async list({ workspaceId, limit, offset }: AliasFilter) {
      const text = 'SELECT * FROM alias WHERE workspace_id = $1 ORDER BY name LIMIT $2 OFFSET $3'
      const { rows } = await pool.query<AliasRow>(text, [workspaceId, limit, offset])
      return { total: await count(pool, workspaceId), aliases: rows.map(aliasOf) }
    },
    count: (workspaceId: string) => count(pool, workspaceId),
    /** Rules for prompt families of all aliases of the workspace but this one. */
    async countRulesBeside({ workspaceId, name }: AliasKey): Promise<number> {
      const text = `SELECT coalesce(sum(json_array_length(family_rules::json)), 0)::int AS rules FROM alias
        WHERE workspace_id = $1 AND name <> $2 AND family_rules IS NOT NULL`
      const { rows } = await pool.query<{ rules: number }>(text, [workspaceId, name])
      return rows[0]?.rules ?? 0
    },
    /**
     * False when another change came first.
     *
     * @throws ServiceError `rate_limit_exceeded` when the workspace changed too much in 24 hours, `conflict` or `invalid_request`
     *   when it would have more aliases, or rules, than it may
     */
    save: (change: AliasChange): Promise<boolean> =>
      withinAuditShare(() => inTransaction(pool, (client) => save(client, change))),
    /** False when the alias was changed or deleted meanwhile. */
    delete: ({ id, version }: Pick<StoredAlias, 'id' | 'version'>, event: StoredAliasEvent): Promise<boolean> =>
      inTransaction(pool, async (client) => {
        const { rowCount } = await client.query('DELETE FROM alias WHERE id = $1 AND version = $2', [id, version])
        if (rowCount === 1) await insertEvent(client, event)
        return rowCount === 1
      }),
    /** Names of aliases whose gate uses a criterion, at most ten. */
    async namesOfCriterion(workspaceId: string, criterionId: string): Promise<readonly string[]> {
      const uuid = uuidOf('criterion', criterionId)
      const text = `SELECT name FROM alias WHERE workspace_id = $1 AND gate_criterion_id = $2 ORDER BY name LIMIT 10`
      const { rows } = await pool.query<{ name: string }>(text, [workspaceId, uuid])
      return rows.map(({ name }) => name)
    },
  }
}

async function count(pool: Pool, workspaceId: string): Promise<number> {
  const text = 'SELECT count(*)::int AS total FROM alias WHERE workspace_id = $1'
  const { rows } = await pool.query<{ total: number }>(text, [workspaceId])
  return rows[0]?.total ?? 0
}

const settingColumns = `id, workspace_id, name, description, target_model, canary_model, canary_percent,
  gate_criterion_id, gate_mode, gate_min_samples_per_arm, gate_rollback_threshold, gate_window_hours, gate_confidence,
  gate_guard, sticky_by, shadow_model, shadow_percent, require_evidence, family_rules, version, created_by, created_at, updated_at,
  updated_by`
/** Gate evaluations write these columns too. */
const recordColumns = 'gate_state, gate_judge, gate_looks, gate_looked_at, gate_decided_at, gate_reason, gate_verdict'
const columns = `${settingColumns}, ${recordColumns}, epoch, epoch_started_at, cursor_log_id`

/** Inserts nothing when another request created an alias of this name meanwhile. */
const insertStatement = `
  INSERT INTO alias (${columns}) SELECT ${columns} FROM json_populate_record(NULL::alias, $1)
  ON CONFLICT (workspace_id, name) DO NOTHING`

function updateStatement(written: string): string {
  return `
    UPDATE alias SET (${written}, look_due_at) = (SELECT ${written.replace(/(\w+)/g, 'r.$1')}, now()
      FROM json_populate_record(NULL::alias, $1) AS r)
    WHERE id = $2 AND version = $3 AND epoch = $4`
}

const updateStatements = {
  nothing: updateStatement(columns),
  cursor: updateStatement(`${settingColumns}, ${recordColumns}`),
  evaluation: updateStatement(settingColumns),
} as const

/** Keeps these advisory locks apart from those of other tables. */
const lockSeed = 0x616c_6961

async function totalsOf(client: PoolClient, workspaceId: string): Promise<AliasTotals> {
  const text = `SELECT count(*)::int AS aliases, coalesce(sum(json_array_length(family_rules::json)), 0)::int AS rules
    FROM alias WHERE workspace_id = $1`
  const { rows } = await client.query<AliasTotals>(text, [workspaceId])
  return rows[0] ?? { aliases: 0, rules: 0 }
}

/** What adds aliases or rules waits for others of the workspace that do, so that together they stay below the maximum. */
async function save(client: PoolClient, change: AliasChange): Promise<boolean> {
  const { alias, replaces, event, resets, keeps, notice, look } = change
  const isNew = replaces === null
  // A gate that takes a family out of the split may always do so.
  const [before, after] = [event.before, event.after].map((settings) => settings?.family_rules.length ?? 0)
  const addsRules = event.actor.type === 'user' && (after ?? 0) > (before ?? 0)
  if (isNew || addsRules) {
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [alias.workspaceId, lockSeed])
  }
  const row = JSON.stringify(aliasRow(alias))
  const { rowCount } = isNew
    ? await client.query(insertStatement, [row])
    : await client.query(updateStatements[keeps], [row, alias.id, replaces.version, replaces.epoch])
  if (rowCount !== 1) return false
  if (isNew || addsRules) {
    const totals = await totalsOf(client, alias.workspaceId)
    if (isNew) requireRoom(totals)
    if (addsRules) requireRoomForRules(totals)
  }
  await insertEvent(client, event)
  if (look !== null) await insertLook(client, look)
  if (resets && replaces !== null) await deleteCounts(client, alias.id)
  if (notice !== null) {
    await enqueueEvent(client, { ...notice, workspaceId: alias.workspaceId, timestamp: event.createdAt })
  }
  return true
}

/** Deletes what was counted for the former split. Mirrored requests belong to no split and stay. */
export async function deleteCounts(client: PoolClient, aliasId: string): Promise<void> {
  for (const table of ['arm_traffic', 'canary_sample']) {
    await client.query(`DELETE FROM ${table} WHERE alias_id = $1`, [aliasId])
  }
}
