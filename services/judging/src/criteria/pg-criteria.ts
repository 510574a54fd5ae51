import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { withinAuditShare } from '@ratchet/work-kit/storage/within-audit-share'
import { keepProposals } from '../calibration/pg-proposals.ts'
import { weeklySources } from '../runs/weekly-sources.ts'
import type {
  CriterionFilter,
  CriterionKey,
  CriterionPatch,
  CriterionStore,
  CriterionWriter,
  DecideChange,
  StoredCriterion,
} from './criterion.ts'
import { changedFields, fieldsOf } from './criterion-fields.ts'
import { insertCriterionEvent } from './pg-criterion-events.ts'

export function createPgCriteria(pool: Pool): CriterionStore {
  return {
    create: (criterion, by) =>
      audited(pool, async (client) => {
        await client.query(createStatement, createValues(criterion))
        const { createdAt: at } = criterion
        await insertCriterionEvent(client, criterion, {
          kind: 'create',
          before: null,
          after: fieldsOf(criterion),
          at,
          by,
        })
      }),
    async get({ workspaceId, id }) {
      const text = 'SELECT * FROM criterion WHERE workspace_id = $1 AND id = $2'
      const { rows } = await pool.query<CriterionRow>(text, [workspaceId, id])
      return rows[0] === undefined ? null : criterionOf(rows[0])
    },
    list: (filter) => list(pool, filter),
    update: (key, decide, at, by) => audited(pool, (client) => update(client, { key, decide, at, by })),
    async clearStale({ workspaceId, id }, at) {
      // The verdicts of a judge that has changed are no reference for the one that was calibrated now.
      const text = `UPDATE criterion SET ${noDrift},
          drift_reference_from = CASE WHEN drift_cause = 'judge' THEN $3 ELSE drift_reference_from END
        WHERE workspace_id = $1 AND id = $2 AND drift_signal = 'stale'`
      await pool.query(text, [workspaceId, id, at])
    },
    async noteEval({ workspaceId, id }, at) {
      await pool.query('UPDATE criterion SET eval_used_at = $3 WHERE workspace_id = $1 AND id = $2', [
        workspaceId,
        id,
        at,
      ])
    },
    delete: (key, at, by) =>
      audited(pool, async (client) => {
        const { workspaceId, id } = key
        await keepProposals(client, key)
        const text = 'DELETE FROM criterion WHERE workspace_id = $1 AND id = $2 RETURNING *'
        const { rows } = await client.query<CriterionRow>(text, [workspaceId, id])
        if (rows[0] === undefined) return false
        const before = fieldsOf(criterionOf(rows[0]))
        await insertCriterionEvent(client, key, { kind: 'delete', before, after: null, at, by })
        return true
      }),
  }
}

/** @throws ServiceError `rate_limit_exceeded` when the workspace changed too much in 24 hours */
function audited<T>(pool: Pool, change: (client: PoolClient) => Promise<T>): Promise<T> {
  return withinAuditShare(() => inTransaction(pool, change))
}

type CriterionRow = Row<
  'criterion',
  { drift_signal: StoredCriterion['driftSignal']; drift_cause: StoredCriterion['driftCause'] }
>

const noDrift = `drift_signal = NULL, drift_reason = NULL, drift_cause = NULL, drift_clear_sweeps = 0,
  drift_reference_until = NULL, drift_flagged_at = NULL`

function criterionOf(row: CriterionRow): StoredCriterion {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    description: row.description,
    judgePrompt: row.judge_prompt,
    judgeModel: row.judge_model,
    checks: row.checks as StoredCriterion['checks'],
    status: row.status,
    source: row.source,
    unit: row.unit,
    population: row.population,
    populationFamily: row.population_family,
    onlineEnabled: row.online_enabled,
    onlinePercent: row.online_percent,
    onlineCapNano: BigInt(row.online_cap_nano),
    driftSignal: row.drift_signal,
    driftReason: row.drift_reason,
    driftCause: row.drift_cause,
    driftCheckedAt: row.drift_checked_at,
    driftClearSweeps: row.drift_clear_sweeps,
    instrument: row.instrument,
    createdBy: row.created_by,
    createdAt: row.created_at,
  }
}

/** As JSON text: the driver would make an array of Postgres of a list. */
function checksText(checks: StoredCriterion['checks']): string | null {
  return checks === null ? null : JSON.stringify(checks)
}

const createStatement = `
  INSERT INTO criterion (id, workspace_id, name, description, judge_prompt, judge_model, checks, status, source, unit,
    population, population_family, online_enabled, online_percent, online_cap_nano, instrument, created_by, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`

function createValues(criterion: StoredCriterion): unknown[] {
  return [
    criterion.id,
    criterion.workspaceId,
    criterion.name,
    criterion.description,
    criterion.judgePrompt,
    criterion.judgeModel,
    checksText(criterion.checks),
    criterion.status,
    criterion.source,
    criterion.unit,
    criterion.population,
    criterion.populationFamily,
    criterion.onlineEnabled,
    criterion.onlinePercent,
    String(criterion.onlineCapNano),
    criterion.instrument,
    criterion.createdBy,
    criterion.createdAt,
  ]
}

const listStatement = `
  SELECT * FROM criterion
  WHERE workspace_id = $1 AND ($2::criterion_status IS NULL OR status = $2)
    AND ($3::criterion_unit IS NULL OR unit = $3) AND ($4::text IS NULL OR population = $4)
  ORDER BY created_at DESC, id DESC`

async function list(pool: Pool, { workspaceId, status, unit, population }: CriterionFilter) {
  const values = [workspaceId, status ?? null, unit ?? null, population ?? null]
  const { rows } = await pool.query<CriterionRow>(listStatement, values)
  return rows.map(criterionOf)
}

interface Update {
  readonly key: CriterionKey
  readonly decide: DecideChange
  readonly at: Date
  readonly by: CriterionWriter | undefined
}

async function update(client: PoolClient, { key, decide, at, by }: Update): Promise<StoredCriterion | null> {
  const current = await lock(client, key)
  if (current === null) return null
  const { patch, voids } = decide(current)
  const changed = Object.entries(patch).map(([field, value]) => ({
    column: columns[field as keyof CriterionPatch],
    value: typeof value === 'bigint' ? String(value) : field === 'checks' ? JSON.stringify(value) : value,
  }))
  if (changed.length === 0) return current
  const sets = changed.map(({ column }, index) => `${column} = $${index + 2}`)
  const { rows } = await client.query<CriterionRow>(
    `UPDATE criterion SET ${[...sets, ...(voids === null ? [] : [newInstrument])].join(', ')} WHERE id = $1 RETURNING *`,
    [key.id, ...changed.map(({ value }) => value)],
  )
  await insertCriterionEvent(client, key, { kind: 'update', ...changedFields(current, patch), at, by })
  if (voids !== null) await voidCalibrations(client, { criterionId: key.id, reason: voids, at })
  if (monitoringFields.some((field) => patch[field] !== undefined)) await wakeWaiting(client, key.id)
  return rows[0] === undefined ? null : criterionOf(rows[0])
}

/** `NO KEY`, so that judgements that refer to the row may be inserted meanwhile. */
async function lock(client: PoolClient, { workspaceId, id }: CriterionKey): Promise<StoredCriterion | null> {
  const text = 'SELECT * FROM criterion WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE'
  const { rows } = await client.query<CriterionRow>(text, [workspaceId, id])
  return rows[0] === undefined ? null : criterionOf(rows[0])
}

const columns: Readonly<Record<keyof CriterionPatch, string>> = {
  name: 'name',
  description: 'description',
  judgePrompt: 'judge_prompt',
  judgeModel: 'judge_model',
  checks: 'checks',
  population: 'population',
  populationFamily: 'population_family',
  onlineEnabled: 'online_enabled',
  onlinePercent: 'online_percent',
  onlineCapNano: 'online_cap_nano',
  status: 'status',
}

const monitoringFields = [
  'status',
  'onlineEnabled',
  'onlineCapNano',
] as const satisfies readonly (keyof CriterionPatch)[]

/** Judgements that wait for their weekly cap are retried: the cap may be higher now, or monitoring may be off. */
async function wakeWaiting(client: PoolClient, criterionId: string): Promise<void> {
  const text = `UPDATE judgement SET due_at = now()
    WHERE criterion_id = $1 AND source IN ${weeklySources} AND state = 'pending' AND due_at > now()`
  await client.query(text, [criterionId])
}

const newInstrument = `instrument = instrument + 1, ${noDrift}, drift_reference_from = NULL`

interface Voiding {
  readonly criterionId: string
  readonly reason: string
  readonly at: Date
}

/** Deletes pending judgements of void calibrations too, because their cost would buy no evidence. */
async function voidCalibrations(client: PoolClient, { criterionId, reason, at }: Voiding): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `UPDATE judge_run SET status = 'VOIDED', voided_at = $2, void_reason = $3, finished_at = coalesce(finished_at, $2)
     WHERE criterion_id = $1 AND kind = 'calibration' AND status IN ('PENDING', 'RUNNING', 'DONE') RETURNING id`,
    [criterionId, at, reason],
  )
  const runIds = rows.map(({ id }) => id)
  await client.query(`DELETE FROM judgement WHERE run_id = ANY($1::uuid[]) AND state = 'pending'`, [runIds])
}
