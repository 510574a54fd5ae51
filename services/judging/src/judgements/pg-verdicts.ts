import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { type KnownAccuracy, knownAccuracy } from '../calibration/judge-accuracy.ts'
import { createPgCalibrations } from '../calibration/pg-calibrations.ts'
import { idColumns, idTypes, majorityGrades, type RequestedGrades } from '../labels/pg-majority-grades.ts'
import { doneOf, type JudgementRow, judgementColumns } from './pg-judgement-row.ts'
import type { GradeKey, JudgedEntry, JudgedRunEntry, LogVerdict, VerdictFilter } from './verdict-reads.ts'

export type VerdictReads = ReturnType<typeof createPgVerdicts>

export function createPgVerdicts(pool: Pool) {
  return {
    /** Newest first. */
    list: (filter: VerdictFilter) => list(pool, filter),
    /** Of the current calibration; null without one, or when its grades are all of one class. */
    accuracyOf: (criterionId: string) => accuracyOf(pool, criterionId),
    /** Majorities of grades of items that were chosen for grading at random, by log UUID or trace id. */
    randomGrades: (key: Pick<RequestedGrades, keyof GradeKey | 'unit'>, itemIds: readonly string[]) =>
      majorityGrades(pool, { ...key, itemIds, onlyRandom: true }),
    /** Those of the log UUIDs that have a grade, for the criterion or as a whole. */
    async gradedAmong({ workspaceId, criterionId }: GradeKey, logIds: readonly string[]): Promise<ReadonlySet<string>> {
      const { rows } = await pool.query<ItemRow>(gradedStatement('request'), [workspaceId, criterionId, logIds])
      return new Set(rows.map(({ item_id: logId }) => logId))
    },
    /** Those of the trace ids whose run has a grade, for the criterion or as a whole. */
    async gradedRuns(
      { workspaceId, criterionId }: GradeKey,
      traceIds: readonly string[],
    ): Promise<ReadonlySet<string>> {
      const { rows } = await pool.query<ItemRow>(gradedStatement('trace'), [workspaceId, criterionId, traceIds])
      return new Set(rows.map(({ item_id: traceId }) => traceId))
    },
    /** The latest verdict of the present instrument on each of the log UUIDs; those without one are left out. */
    async ofLogs({ workspaceId, criterionId }: GradeKey, logIds: readonly string[]): Promise<readonly LogVerdict[]> {
      const { rows } = await pool.query<LogVerdictRow>(ofLogsStatement, [workspaceId, criterionId, logIds])
      return rows.map(({ log_id: logId, verdict }) => ({ logId, verdict }))
    },
    /** Exchanges that the monitor, a scan or a gate judged with the present instrument, newest first. */
    async judgedLately({ workspaceId, criterionId }: GradeKey, limit: number): Promise<readonly JudgedEntry[]> {
      const { rows } = await pool.query<JudgedRow>(judgedStatement('request'), [workspaceId, criterionId, limit])
      return rows.map((row) => ({ logId: row.item_id, ...judgedOf(row) }))
    },
    /** The same for a judge of runs. */
    async judgedRunsLately({ workspaceId, criterionId }: GradeKey, limit: number): Promise<readonly JudgedRunEntry[]> {
      const { rows } = await pool.query<JudgedRow>(judgedStatement('trace'), [workspaceId, criterionId, limit])
      return rows.map((row) => ({ traceId: row.item_id, ...judgedOf(row) }))
    },
  }
}

type LogVerdictRow = Pick<Row<'judgement', { log_id: string; verdict: Verdict }>, 'log_id' | 'verdict'>

type Unit = RequestedGrades['unit']

interface ItemRow {
  readonly item_id: string
}

interface JudgedRow extends ItemRow, Pick<Row<'judgement', { verdict: Verdict }>, 'verdict'> {
  readonly disputed: boolean
  readonly graded: boolean
}

function judgedOf({ verdict, disputed, graded }: JudgedRow) {
  return { verdict, isDisputed: disputed, isGraded: graded }
}

async function list(pool: Pool, { limit, offset, ...filter }: VerdictFilter) {
  const where = `criterion_id = $1 AND state = 'done' AND verdict IS NOT NULL
    AND source IN ('online', 'scan', 'calibration', 'gate')
    AND ($2::verdict IS NULL OR verdict = $2) AND ($3::judgement_source IS NULL OR source = $3)
    AND ($4::timestamptz IS NULL OR judged_at >= $4) AND ($5::timestamptz IS NULL OR judged_at < $5)
    AND ($6::uuid IS NULL OR log_id = $6)`
  const { criterionId, verdict = null, source = null, start = null, end = null, logId = null } = filter
  const values = [criterionId, verdict, source, start, end, logId]
  const counted = await pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM judgement WHERE ${where}`,
    values,
  )
  const { rows } = await pool.query<JudgementRow>(
    `SELECT ${judgementColumns} FROM judgement WHERE ${where} ORDER BY judged_at DESC, id DESC LIMIT $7 OFFSET $8`,
    [...values, limit, offset],
  )
  return { total: counted.rows[0]?.total ?? 0, verdicts: rows.map(doneOf) }
}

async function accuracyOf(pool: Pool, criterionId: string): Promise<KnownAccuracy | null> {
  const evidence = await createPgCalibrations(pool).evidence([criterionId])
  const found = evidence.get(criterionId)
  return found === undefined ? null : knownAccuracy(found.measures)
}

const gradedStatement = (unit: Unit) => `
  SELECT DISTINCT ${idColumns[unit]} AS item_id FROM label
  WHERE workspace_id = $1 AND (criterion_id = $2 OR criterion_id IS NULL) AND unit = '${unit}'
    AND ${idColumns[unit]} = ANY($3::${idTypes[unit]}[]) AND superseded_by IS NULL`

const ofLogsStatement = `
  SELECT DISTINCT ON (j.log_id) j.log_id, j.verdict
  FROM judgement j JOIN criterion c ON c.id = j.criterion_id AND c.instrument = j.instrument
  WHERE c.workspace_id = $1 AND j.criterion_id = $2 AND j.log_id = ANY($3::uuid[]) AND j.state = 'done'
    AND j.verdict IS NOT NULL AND j.source IN ('online', 'scan', 'gate', 'calibration')
  ORDER BY j.log_id, j.judged_at DESC, j.id DESC`

const judgedStatement = (unit: Unit) => `
  SELECT j.${idColumns[unit]} AS item_id, (array_agg(j.verdict ORDER BY j.judged_at DESC))[1] AS verdict,
    count(DISTINCT j.verdict) > 1 AS disputed,
    EXISTS (SELECT 1 FROM label l WHERE l.workspace_id = $1 AND l.unit = '${unit}'
      AND l.${idColumns[unit]} = j.${idColumns[unit]} AND (l.criterion_id = $2 OR l.criterion_id IS NULL) AND l.superseded_by IS NULL) AS graded
  FROM judgement j JOIN criterion c ON c.id = j.criterion_id AND c.instrument = j.instrument
  WHERE c.workspace_id = $1 AND j.criterion_id = $2 AND j.source IN ('online', 'scan', 'gate') AND j.state = 'done'
    AND j.verdict IS NOT NULL AND j.${idColumns[unit]} IS NOT NULL AND (j.expires_at IS NULL OR j.expires_at > now())
  GROUP BY item_id ORDER BY max(j.judged_at) DESC LIMIT $3`
