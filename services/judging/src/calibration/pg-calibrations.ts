import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { readMonitored } from '../drift/pg-monitored.ts'
import type { JudgeRun, NewRun } from '../runs/judge-run.ts'
import { createPgRuns } from '../runs/pg-runs.ts'
import { weeklySources } from '../runs/weekly-sources.ts'
import { calibrationResultOf, type Evidence } from './calibration-result.ts'
import type { CalibrationProgress, RowFilter } from './calibration-row.ts'
import type { JudgedRows } from './conclude-calibration.ts'
import type { CopiedJudge } from './copied-judge.ts'
import { readCalibrationRows } from './pg-calibration-rows.ts'
import { countCopies } from './pg-copies.ts'
import { readJudgedItems, readProposals } from './pg-proposals.ts'

interface InstrumentKey {
  readonly criterionId: string
  readonly instrument: number
}

export type CalibrationStore = ReturnType<typeof createPgCalibrations>

/** What calibrations need beyond the store of runs. */
export function createPgCalibrations(pool: Pool) {
  return {
    /** Null while another calibration of the criterion runs. */
    start: (run: NewRun) => start(pool, run),
    /** Id of the running calibration of a criterion; null for none. */
    async running(criterionId: string): Promise<string | null> {
      const text = `SELECT id FROM judge_run
        WHERE criterion_id = $1 AND kind = 'calibration' AND status IN ('PENDING', 'RUNNING')`
      const { rows } = await pool.query<{ id: string }>(text, [criterionId])
      return rows[0]?.id ?? null
    },
    /** Voids a calibration that is not finished. */
    async void(runId: string, { reason, at }: { readonly reason: string; readonly at: Date }): Promise<void> {
      const text = `UPDATE judge_run SET status = 'VOIDED', voided_at = $2, finished_at = $2, void_reason = $3
        WHERE id = $1 AND status IN ('PENDING', 'RUNNING')`
      await pool.query(text, [runId, at, reason])
    },
    /** Current calibrations, by criterion; criteria without one are left out. */
    evidence: (criterionIds: readonly string[]) => evidence(pool, criterionIds),
    /** By run; runs without a judgement are left out. */
    progress: (runIds: readonly string[]) => progress(pool, runIds),
    async countDone({ criterionId, instrument }: InstrumentKey): Promise<number> {
      const text = `SELECT count(*)::int AS count FROM judge_run
        WHERE criterion_id = $1 AND instrument = $2 AND kind = 'calibration' AND status = 'DONE'`
      const { rows } = await pool.query<{ count: number }>(text, [criterionId, instrument])
      return rows[0]?.count ?? 0
    },
    /** Number of judges with the same prompt and model, and of other prompts and models of this one, that had a chance before. */
    countCopies: (judge: CopiedJudge) => countCopies(pool, judge),
    /** What the improvements of a workspace have proposed. */
    proposals: (workspaceId: string) => readProposals(pool, workspaceId),
    /** Graded items that a run has judged, with the verdicts of people. */
    judgedItems: (runId: string) => readJudgedItems(pool, runId),
    /** Most frequent reason first. */
    async deadLetterReasons(runId: string): Promise<JudgedRows['deadLettered']> {
      // Request ids are removed, so that equal reasons are counted together.
      const text = `SELECT regexp_replace(coalesce(last_error, 'unknown'), ' \\(request id [^)]*\\)', '') AS reason,
          count(*)::int AS count FROM judgement
        WHERE run_id = $1 AND source <> 'repeat' AND state = 'poisoned' GROUP BY 1 ORDER BY 2 DESC, 1`
      const { rows } = await pool.query<{ reason: string; count: number }>(text, [runId])
      return rows
    },
    /** Judged rows. A page of large rows ends early. */
    rows: (filter: RowFilter) => readCalibrationRows(pool, filter),
    /** Nano-dollars that each criterion spent on monitoring, gates and its panel since the beginning of a week. */
    onlineSpent: (criterionIds: readonly string[], since: Date) =>
      spentBy(pool, { statement: spentStatement, criterionIds, since }),
    /** What the monitors have judged, for the drop that they can find; those without one are left out. */
    monitored: (criterionIds: readonly string[], at: Date) => readMonitored(pool, criterionIds, at),
    /** The part of it that was spent on judging graded rows again. */
    panelSpent: (criterionIds: readonly string[], since: Date) =>
      spentBy(pool, { statement: panelSpentStatement, criterionIds, since }),
  }
}

/** A unique index allows one running calibration of a criterion. */
async function start(pool: Pool, run: NewRun): Promise<JudgeRun | null> {
  try {
    return await createPgRuns(pool).create(run)
  } catch (error) {
    const { constraint } = error as { readonly constraint?: unknown }
    if (constraint === 'judge_run_one_calibration_key') return null
    throw error
  }
}

const evidenceStatement = `
  SELECT DISTINCT ON (r.criterion_id) r.criterion_id, r.id, r.result, r.finished_at
  FROM judge_run r JOIN criterion c ON c.id = r.criterion_id AND c.instrument = r.instrument
  WHERE r.criterion_id = ANY($1::uuid[]) AND r.kind = 'calibration' AND r.status = 'DONE'
  ORDER BY r.criterion_id, r.created_at DESC, r.id DESC`

type EvidenceRow = Pick<
  Row<'judgeRun', { criterion_id: string; result: string; finished_at: Date }>,
  'id' | 'criterion_id' | 'result' | 'finished_at'
>

async function evidence(pool: Pool, criterionIds: readonly string[]): Promise<ReadonlyMap<string, Evidence>> {
  const { rows } = await pool.query<EvidenceRow>(evidenceStatement, [criterionIds])
  return new Map(rows.flatMap(evidenceOf))
}

function evidenceOf({
  id: calibrationId,
  criterion_id: id,
  result,
  finished_at: alignedAt,
}: EvidenceRow): readonly [string, Evidence][] {
  const stored = calibrationResultOf({ result: JSON.parse(result) })
  if (stored === null || stored.measures === null) return []
  const { measures, repeats, judgeModelResolved, judgeFingerprint } = stored
  return [[id, { calibrationId, measures, repeats: repeats ?? null, judgeModelResolved, judgeFingerprint, alignedAt }]]
}

const progressStatement = `
  SELECT run_id, (count(*) FILTER (WHERE state = 'done' AND source = 'calibration'))::int AS done, sum(cost_nano)::text AS cost_nano
  FROM judgement WHERE run_id = ANY($1::uuid[]) GROUP BY run_id`

async function progress(pool: Pool, runIds: readonly string[]): Promise<ReadonlyMap<string, CalibrationProgress>> {
  const { rows } = await pool.query<{ run_id: string; done: number; cost_nano: string }>(progressStatement, [runIds])
  return new Map(rows.map((row) => [row.run_id, { done: row.done, costNano: BigInt(row.cost_nano) }]))
}

const spentStatement = `
  SELECT c.id AS criterion_id, (CASE WHEN c.forgotten_week = $2 THEN c.forgotten_nano ELSE 0 END + coalesce((
    SELECT sum(j.cost_nano) FROM judgement j
    WHERE j.criterion_id = c.id AND j.state = 'done' AND j.source IN ${weeklySources} AND j.judged_at >= $2
    ), 0))::text AS cost_nano
  FROM criterion c WHERE c.id = ANY($1::uuid[])`

const panelSpentStatement = `
  SELECT criterion_id, sum(cost_nano)::text AS cost_nano FROM judgement
  WHERE criterion_id = ANY($1::uuid[]) AND state = 'done' AND source = 'drift_replay' AND judged_at >= $2
  GROUP BY criterion_id`

interface Spending {
  readonly statement: string
  readonly criterionIds: readonly string[]
  readonly since: Date
}

async function spentBy(pool: Pool, { statement, criterionIds, since }: Spending): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await pool.query<{ criterion_id: string; cost_nano: string }>(statement, [criterionIds, since])
  return new Map(rows.map((row) => [row.criterion_id, BigInt(row.cost_nano)]))
}
