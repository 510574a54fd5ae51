import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { StoredAlias } from '../aliases/alias.ts'
import { type AliasRow, aliasOf, gateColumns } from '../aliases/alias-row.ts'
import { forgetCounts, keepEvent } from '../aliases/pg-aliases.ts'
import { enqueueEvent } from '../webhooks/pg-enqueue-event.ts'
import type { CanaryStore, FoundInLog, SavedEvaluation } from './canary-store.ts'
import { readArmCounts, readShadowCounts } from './pg-read-counts.ts'

/** What gates remember, in Postgres. Looks are due by the database's clock. */
export function createPgCanary(pool: Pool): CanaryStore {
  return {
    async take(limit, againMs) {
      const { rows } = await pool.query<AliasRow>(takeStatement, [limit, againMs])
      return rows.map(aliasOf)
    },
    keepFound: (split, found, at) => keepFound(pool, { split, found, at }),
    async openSamples({ id, epoch }, limit) {
      const { rows } = await pool.query<{ log_id: string }>(openStatement, [id, epoch.number, limit])
      return rows.map(({ log_id: logId }) => ({ logId }))
    },
    async gradableSamples({ id, epoch }, limit) {
      const { rows } = await pool.query<{ log_id: string }>(gradableStatement, [id, epoch.number, limit])
      return rows.map(({ log_id: logId }) => ({ logId }))
    },
    async keepOutcomes({ id, epoch }, outcomes) {
      const rows = outcomes.map(({ logId, verdict, failure }) => ({ log_id: logId, verdict, failure }))
      await pool.query(outcomesStatement, [id, epoch.number, JSON.stringify(rows)])
    },
    async keepGrades({ id, epoch }, grades, at) {
      const rows = grades.map(({ logId, grade }) => ({ log_id: logId, grade }))
      await pool.query(gradesStatement, [id, epoch.number, JSON.stringify(rows), at])
    },
    async counts(alias, at) {
      const [arms, shadow] = await Promise.all([readArmCounts(pool, alias, at), readShadowCounts(pool, alias)])
      return { arms, shadow }
    },
    saveEvaluation: (alias, evaluation) => saveEvaluation(pool, alias, evaluation),
    restart: (alias, { judge, event, cursorLogId }) =>
      inTransaction(pool, async (client) => {
        const revision = [alias.version, alias.epoch.number]
        const values = [alias.id, ...revision, event.createdAt, JSON.stringify(judge), cursorLogId]
        if ((await client.query(restartStatement, values)).rowCount !== 1) return false
        await forgetCounts(client, alias.id)
        await keepEvent(client, event)
        return true
      }),
    async forget() {
      for (const table of ['arm_traffic', 'canary_sample']) {
        await pool.query(`DELETE FROM ${table} t USING alias a WHERE a.id = t.alias_id AND t.epoch < a.epoch`)
      }
      await pool.query(oldShadowsStatement, [shadowDays])
    },
  }
}

/** A live split with a gate, or a mirror; as the index has it. */
const isWatched = `((gate_mode IS NOT NULL AND canary_percent BETWEEN 1 AND 99) OR shadow_percent > 0)`

/** Whoever looks makes the next look due later, so that one that dies is followed by another. */
const takeStatement = `
  UPDATE alias SET look_due_at = now() + $2 * interval '1 millisecond'
  WHERE id IN (SELECT id FROM alias WHERE ${isWatched} AND look_due_at <= now()
    ORDER BY look_due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING *`

/** How long mirrored requests are counted. */
const shadowDays = 30
const oldShadowsStatement = `
  DELETE FROM shadow_sample WHERE state IN ('done', 'poisoned') AND created_at < now() - $1 * interval '1 day'`

const openStatement = `
  SELECT log_id FROM canary_sample WHERE alias_id = $1 AND epoch = $2 AND state = 'open' ORDER BY log_id LIMIT $3`

const gradableStatement = `
  SELECT log_id FROM canary_sample WHERE alias_id = $1 AND epoch = $2 AND verdict IS NOT NULL
  ORDER BY grade_asked_at NULLS FIRST, log_id DESC LIMIT $3`

const outcomesStatement = `
  UPDATE canary_sample s SET state = 'done', verdict = r.verdict, failure = r.failure
  FROM json_to_recordset($3) AS r(log_id uuid, verdict text, failure text)
  WHERE s.alias_id = $1 AND s.epoch = $2 AND s.log_id = r.log_id AND s.state = 'open'`

const gradesStatement = `
  UPDATE canary_sample s SET grade = r.grade, grade_asked_at = $4 FROM json_to_recordset($3) AS r(log_id uuid, grade text)
  WHERE s.alias_id = $1 AND s.epoch = $2 AND s.log_id = r.log_id`

const restartStatement = `
  UPDATE alias SET epoch = epoch + 1, epoch_started_at = $4, gate_judge = $5, cursor_log_id = $6,
    gate_state = 'collecting', gate_reason = NULL, gate_looks = 0, gate_decided_at = NULL, gate_verdict = NULL
  WHERE id = $1 AND version = $2 AND epoch = $3`

const sampleStatement = `
  INSERT INTO canary_sample (alias_id, epoch, log_id, arm, cluster, created_at)
  SELECT $1, $2, r.log_id, r.arm::arm, r.cluster, $4
  FROM json_to_recordset($3) AS r(log_id uuid, arm text, cluster text) ORDER BY r.log_id
  ON CONFLICT DO NOTHING`

const shadowStatement = `
  INSERT INTO shadow_sample (id, alias_id, workspace_id, log_id, model, created_at)
  SELECT r.id, $1, $4, r.log_id, $5, $3 FROM json_to_recordset($2) AS r(id uuid, log_id uuid)
  ON CONFLICT DO NOTHING`

interface Keeping {
  readonly split: Pick<StoredAlias, 'id' | 'epoch'>
  readonly found: FoundInLog
  readonly at: Date
}

async function keepFound(pool: Pool, { split: { id, epoch }, found, at }: Keeping): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ workspace_id: string; shadow_model: string | null }>(
      'UPDATE alias SET cursor_log_id = $3 WHERE id = $1 AND epoch = $2 RETURNING workspace_id, shadow_model',
      [id, epoch.number, found.cursorLogId],
    )
    const [alias] = rows
    if (alias === undefined) return
    const samples = found.samples.map(({ logId, ...sample }) => ({ log_id: logId, ...sample }))
    if (samples.length > 0) await client.query(sampleStatement, [id, epoch.number, JSON.stringify(samples), at])
    const shadows = found.shadows.map(({ id: shadowId, logId }) => ({ id: shadowId, log_id: logId }))
    if (shadows.length === 0 || alias.shadow_model === null) return
    const values = [id, JSON.stringify(shadows), at, alias.workspace_id, alias.shadow_model]
    await client.query(shadowStatement, values)
  })
}

async function saveEvaluation(
  pool: Pool,
  alias: StoredAlias,
  { gate, event, notice }: SavedEvaluation,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const columns = gateColumns(gate)
    const names = Object.keys(columns)
    const sets = names.map((name, index) => `${name} = $${index + 5}`).join(', ')
    const text = `UPDATE alias SET ${sets} WHERE id = $1 AND version = $2 AND epoch = $3 AND gate_looks = $4`
    const { rowCount } = await client.query(text, [
      alias.id,
      alias.version,
      alias.epoch.number,
      alias.gate.evaluations,
      ...Object.values(columns),
    ])
    if (rowCount !== 1) return false
    if (event !== null) await keepEvent(client, event)
    if (notice !== null) {
      const timestamp = gate.evaluatedAt ?? alias.updatedAt
      await enqueueEvent(client, { ...notice, workspaceId: alias.workspaceId, timestamp })
    }
    return true
  })
}
