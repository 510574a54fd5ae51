import type { Pool } from '@ratchet/db/connect-pool'
import { readInPages } from '@ratchet/db/read-in-pages'
import type { NewLabel, StoredLabel } from './label.ts'
import type { CountedGrade, GradeScope, LabelFilter, LabelKey, LabelPage, LabelSnapshot } from './label-queries.ts'
import { type AddOptions, addLabels } from './pg-add-labels.ts'
import { type LabelRow, labelOf } from './pg-label-row.ts'
import { type SnapshotRow, snapshotColumns, snapshotOf } from './pg-snapshot-row.ts'

export type LabelStore = ReturnType<typeof createPgLabels>

/** Grades are only added. One is in force for each criterion, item and grader. */
export function createPgLabels(pool: Pool) {
  return {
    /**
     * Adds grades of one workspace in order, all or none. Each supersedes an earlier one of its grader. With `skipsKnown`
     * grades that are in force already are left out; the keys must be unique then.
     */
    add: (labels: readonly NewLabel[], options: AddOptions) => addLabels(pool, labels, options),
    async get({ workspaceId, id }: LabelKey): Promise<StoredLabel | null> {
      const text = 'SELECT * FROM label WHERE workspace_id = $1 AND id = $2'
      const { rows } = await pool.query<LabelRow>(text, [workspaceId, id])
      return rows[0] === undefined ? null : labelOf(rows[0])
    },
    /** In no particular order; unknown ids are left out. */
    async several(workspaceId: string, ids: readonly string[]): Promise<readonly StoredLabel[]> {
      const text = 'SELECT * FROM label WHERE workspace_id = $1 AND id = ANY($2::uuid[])'
      const { rows } = await pool.query<LabelRow>(text, [workspaceId, ids])
      return rows.map(labelOf)
    },
    /** Newest first. */
    async page(filter: LabelFilter, page: LabelPage): Promise<readonly StoredLabel[]> {
      const { rows } = await pool.query<LabelRow>(pageStatement, [...filterValues(filter), ...pageValues(page)])
      return rows.map(labelOf)
    },
    /** Counts at most `maxCount`. */
    async count(filter: LabelFilter, maxCount: number): Promise<number> {
      const { rows } = await pool.query<{ total: number }>(countStatement, [...filterValues(filter), maxCount])
      return rows[0]?.total ?? 0
    },
    snapshots: (workspaceId: string, ids: readonly string[]) => snapshots(pool, workspaceId, ids),
    /** Grades in force that count for a criterion: its own, and for items without any those of the whole exchange. */
    countedFor: (scope: GradeScope) => countedFor(pool, scope),
    /** Distinct items with a grade in force. */
    async countGradedItems(workspaceId: string): Promise<number> {
      const text = `SELECT count(DISTINCT item_key)::int AS items FROM label
        WHERE workspace_id = $1 AND superseded_by IS NULL`
      const { rows } = await pool.query<{ items: number }>(text, [workspaceId])
      return rows[0]?.items ?? 0
    },
  }
}

const conditions = `
  l.workspace_id = $1
  AND ($2::uuid IS NULL OR l.criterion_id = $2)
  AND ($3::uuid IS NULL OR l.log_id = $3)
  AND ($4::verdict IS NULL OR l.label = $4)
  AND ($5::text IS NULL OR l.grader_id = $5)
  AND ($6::label_source IS NULL OR l.source = $6)
  AND ($7::timestamptz IS NULL OR l.created_at >= $7)
  AND ($8::timestamptz IS NULL OR l.created_at < $8)
  AND ($9::timestamptz IS NULL OR l.created_at <= $9)
  AND ($10 OR l.superseded_by IS NULL OR ($9::timestamptz IS NOT NULL AND EXISTS (
    SELECT 1 FROM label later WHERE later.id = l.superseded_by AND later.created_at > $9)))`

function filterValues(filter: LabelFilter): readonly unknown[] {
  const { workspaceId, criterionId, logId, label, graderId, source, start, end, asOf, includesSuperseded } = filter
  const values = [workspaceId, criterionId, logId, label, graderId, source, start, end, asOf, includesSuperseded]
  return values.map((value) => value ?? null)
}

const pageStatement = `
  SELECT l.* FROM label l
  WHERE ${conditions} AND ($11::timestamptz IS NULL OR (l.created_at, l.id) < ($11, $12::uuid))
  ORDER BY l.created_at DESC, l.id DESC LIMIT $13 OFFSET $14`

function pageValues({ after, limit, offset }: LabelPage): readonly unknown[] {
  return [after?.createdAt ?? null, after?.id ?? null, limit, offset]
}

const countStatement = `
  SELECT count(*)::int AS total FROM (SELECT 1 FROM label l WHERE ${conditions} LIMIT $11) AS found`

async function snapshots(
  pool: Pool,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LabelSnapshot>> {
  const text = `SELECT ${snapshotColumns} FROM label_snapshot WHERE workspace_id = $1 AND id = ANY($2::uuid[])`
  const { rows } = await pool.query<SnapshotRow>(text, [workspaceId, [...new Set(ids)]])
  return new Map(rows.map((row) => [row.id, snapshotOf(row)]))
}

/** Oldest first, because the first grade of an item represents it. */
const countedStatement = `
  SELECT l.id, l.item_key, l.log_id, l.grader_id, l.label FROM label l
  WHERE l.workspace_id = $1 AND l.unit = $3::criterion_unit AND l.superseded_by IS NULL AND (
    l.criterion_id = $2 OR (
      l.criterion_id IS NULL AND ($4 = '' OR l.tag = $4) AND ($5 = '' OR l.segment = $5)
      AND NOT EXISTS (
        SELECT 1 FROM label own
        WHERE own.workspace_id = $1 AND own.criterion_id = $2 AND own.item_key = l.item_key
          AND own.superseded_by IS NULL)))
  ORDER BY l.created_at, l.id`

async function countedFor(pool: Pool, scope: GradeScope): Promise<readonly CountedGrade[]> {
  const { workspaceId, id, unit, population, populationFamily } = scope
  const values = [workspaceId, id, unit, population, populationFamily]
  const grades: CountedGrade[] = []
  await readInPages<CountedRow>(pool, { text: countedStatement, values }, (rows) => {
    for (const { id: labelId, item_key: itemKey, log_id: logId, grader_id: graderId, label } of rows)
      grades.push({ id: labelId, itemKey, logId, graderId, label })
  })
  return grades
}

type CountedRow = Pick<LabelRow, 'id' | 'item_key' | 'log_id' | 'grader_id' | 'label'>
