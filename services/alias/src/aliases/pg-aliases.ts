import { uuidOf } from '@ratchet/contracts/public-id'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { enqueueEvent } from '../webhooks/pg-enqueue-event.ts'
import type { AliasChange, AliasEventRow, AliasStore } from './alias.ts'
import { type AliasRow, aliasOf, aliasRow, eventValues, insertEventStatement } from './alias-row.ts'

/** Aliases and their audit in Postgres. */
export function createPgAliases(pool: Pool): AliasStore {
  return {
    async get({ workspaceId, name }) {
      const text = 'SELECT * FROM alias WHERE workspace_id = $1 AND name = $2'
      const { rows } = await pool.query<AliasRow>(text, [workspaceId, name])
      return rows[0] === undefined ? null : aliasOf(rows[0])
    },
    async list({ workspaceId, limit, offset }) {
      const text = 'SELECT * FROM alias WHERE workspace_id = $1 ORDER BY name LIMIT $2 OFFSET $3'
      const { rows } = await pool.query<AliasRow>(text, [workspaceId, limit, offset])
      return { total: await count(pool, workspaceId), aliases: rows.map(aliasOf) }
    },
    count: (workspaceId) => count(pool, workspaceId),
    save: (change) => inTransaction(pool, (client) => save(client, change)),
    delete: ({ id, version }, event) =>
      inTransaction(pool, async (client) => {
        const { rowCount } = await client.query('DELETE FROM alias WHERE id = $1 AND version = $2', [id, version])
        if (rowCount === 1) await keepEvent(client, event)
        return rowCount === 1
      }),
    async namesOfCriterion(workspaceId, criterionId) {
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
  gate_guard, sticky_by, shadow_model, shadow_percent, require_evidence, version, created_by, created_at, updated_at,
  updated_by`
/** What looks write too. */
const evaluationColumns = `gate_state, gate_judge, gate_looks, gate_looked_at, gate_decided_at, gate_reason, gate_verdict,
  epoch, epoch_started_at, cursor_log_id`
const columns = `${settingColumns}, ${evaluationColumns}`

/** Somebody else may have taken the name, or be about to. */
const insertStatement = `
  INSERT INTO alias (${columns}) SELECT ${columns} FROM json_populate_record(NULL::alias, $1)
  ON CONFLICT (workspace_id, name) DO NOTHING`

function updateStatement(written: string): string {
  return `
    UPDATE alias SET (${written}, look_due_at) = (SELECT ${written.replace(/(\w+)/g, 'r.$1')}, now()
      FROM json_populate_record(NULL::alias, $1) AS r)
    WHERE id = $2 AND version = $3 AND epoch = $4`
}

const updateAll = updateStatement(`${settingColumns}, ${evaluationColumns}`)
const updateSettings = updateStatement(settingColumns)

/** Writes a change and its row of the audit; false when another came first. */
export async function save(client: PoolClient, change: AliasChange): Promise<boolean> {
  const { alias, replaces, event, resets, keepsEvaluation, notice } = change
  const row = JSON.stringify(aliasRow(alias))
  const { rowCount } =
    replaces === null
      ? await client.query(insertStatement, [row])
      : await client.query(keepsEvaluation ? updateSettings : updateAll, [
          row,
          alias.id,
          replaces.version,
          replaces.epoch,
        ])
  if (rowCount !== 1) return false
  await keepEvent(client, event)
  if (resets && replaces !== null) await forgetCounts(client, alias.id)
  if (notice !== null) {
    await enqueueEvent(client, { ...notice, workspaceId: alias.workspaceId, timestamp: event.createdAt })
  }
  return true
}

export async function keepEvent(client: PoolClient, event: AliasEventRow): Promise<void> {
  await client.query(insertEventStatement, [...eventValues(event)])
}

/** What was counted before says nothing of the split that begins. A mirror is none of its arms, and goes on. */
export async function forgetCounts(client: PoolClient, aliasId: string): Promise<void> {
  for (const table of ['arm_traffic', 'canary_sample']) {
    await client.query(`DELETE FROM ${table} WHERE alias_id = $1`, [aliasId])
  }
}
