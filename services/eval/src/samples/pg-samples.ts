import type { CreateEval } from '@ratchet/contracts/evals'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { createPgItems } from '@ratchet/work-kit/leases/pg-items'
import type { EvalJudge } from '../runs/eval-run.ts'
import { listSamples, measuredSamples } from './pg-sample-reads.ts'
import { createPgSampleResults } from './pg-sample-results.ts'
import {
  type AnswerRow,
  answerOf,
  isUnfinished,
  type SampleRow,
  sampleOf,
  type VerdictRow,
  verdictOf,
  verdictTable,
} from './pg-sample-row.ts'
import type { LeasedSample, SampleStore } from './sample.ts'

/** Samples in Postgres. */
export function createPgSamples(pool: Pool): SampleStore {
  const items = createPgItems<LeasedRow, LeasedSample>(
    pool,
    {
      table: 'eval_sample',
      requires: { from: 'eval_run r', where: `r.id = t.run_id AND r.status = 'RUNNING'` },
      leased:
        't.*, r.request, r.judge, r.max_cost_nano, r.created_by AS run_created_by, r.created_at AS run_created_at',
      completed: `state = 'done', outcomes = $3, failure = $4, disputed = $5`,
      deadLettered: `outcomes = ${errorOutcomes}`,
      thenBy: 't.repetition, t.position',
    },
    (row) => leasedOf(pool, row),
  )
  return {
    ...items,
    ...createPgSampleResults(pool),
    complete: (sample, { outcomes, failure, disputed = false }) =>
      items.complete(sample, [outcomes, failure, disputed]),
    async pending(runId) {
      const text = `SELECT id FROM eval_sample WHERE run_id = $1 AND state = 'pending' ORDER BY repetition, position`
      return idsOf(await pool.query<IdRow>(text, [runId]))
    },
    async othersInProgress({ id, run }) {
      const text = `SELECT (count(*) FILTER (WHERE NOT waits_for_cap))::int AS trying,
          (count(*) FILTER (WHERE id < $2))::int AS earlier FROM eval_sample
        WHERE run_id = $1 AND state = 'leased' AND due_at > now() AND id <> $2`
      const { rows } = await pool.query<{ trying: number; earlier: number }>(text, [run.id, id])
      const { trying = 0, earlier = 0 } = rows[0] ?? {}
      return { mayRelease: trying > 0, hasEarlier: earlier > 0 }
    },
    async setWaitsForCap({ id, generation }, waits) {
      const text = 'UPDATE eval_sample SET waits_for_cap = $3 WHERE id = $1 AND generation = $2'
      await pool.query(text, [id, generation, waits])
    },
    async isOver(runId) {
      return !isFound(await pool.query<FoundRow>(unfinishedStatement, [runId]))
    },
    judgeCosts: (runId) => judgeCosts(pool, runId),
    countOverCap: (runId) => countWhere(pool, `failure = 'over_cap'`, runId),
    countSkipped: (runId) => countWhere(pool, `failure = 'not_needed'`, runId),
    countFinished: (runId) => countWhere(pool, `state IN ('done', 'poisoned')`, runId),
    measured: (runId) => measuredSamples(pool, runId),
    list: (filter) => listSamples(pool, filter),
  }
}

async function judgeCosts(pool: Pool, runId: string): Promise<ReadonlyMap<number, bigint>> {
  const text = `SELECT v.judge_index, sum(v.cost_nano)::text AS cost_nano FROM ${verdictTable} v WHERE v.run_id = $1
    GROUP BY v.judge_index`
  const { rows } = await pool.query<{ judge_index: number; cost_nano: string }>(text, [runId])
  return new Map(rows.map(({ judge_index: judge, cost_nano: cost }) => [judge, BigInt(cost)]))
}

async function countWhere(pool: Pool, condition: string, runId: string): Promise<number> {
  const text = `SELECT count(*)::int AS total FROM eval_sample WHERE run_id = $1 AND ${condition}`
  return (await pool.query<{ total: number }>(text, [runId])).rows[0]?.total ?? 0
}

type IdRow = Pick<Row<'evalSample'>, 'id'>

interface FoundRow {
  readonly found: boolean
}

function idsOf({ rows }: { readonly rows: readonly IdRow[] }): readonly string[] {
  return rows.map(({ id }) => id)
}

function isFound({ rows }: { readonly rows: readonly FoundRow[] }): boolean {
  return rows[0]?.found === true
}

interface LeasedRow
  extends SampleRow,
    Pick<Row<'evalSample'>, 'generation' | 'failures' | 'run_id' | 'workspace_id' | 'waits_for_cap'>,
    Pick<Row<'evalRun'>, 'request' | 'judge' | 'max_cost_nano'> {
  readonly run_created_by: string
  readonly run_created_at: Date
}

async function leasedOf(pool: Pool, row: LeasedRow): Promise<LeasedSample> {
  // Before the first lease no process can have saved a result.
  const { answers, verdicts } = row.generation === 1 ? { answers: [], verdicts: [] } : await readResults(pool, row.id)
  return {
    ...sampleOf(row),
    run: {
      id: row.run_id,
      workspaceId: row.workspace_id,
      request: JSON.parse(row.request) as CreateEval,
      judge: JSON.parse(row.judge) as EvalJudge,
      maxCostNano: row.max_cost_nano === null ? null : BigInt(row.max_cost_nano),
      createdBy: row.run_created_by,
      createdAt: row.run_created_at,
    },
    waitsForCap: row.waits_for_cap,
    generation: row.generation,
    failures: row.failures,
    answers,
    verdicts,
  }
}

async function readResults(pool: Pool, id: string): Promise<Pick<LeasedSample, 'answers' | 'verdicts'>> {
  const [answers, verdicts] = await Promise.all([
    pool.query<AnswerRow>('SELECT * FROM eval_answer WHERE sample_id = $1', [id]),
    pool.query<VerdictRow>(`SELECT * FROM ${verdictTable} v WHERE v.sample_id = $1`, [id]),
  ])
  return { answers: answers.rows.map(answerOf), verdicts: verdicts.rows.map(verdictOf) }
}

/** SQL expression: the outcomes of a dead-lettered sample, an error for every candidate. */
const errorOutcomes = `(SELECT array_fill('error'::text, ARRAY[cardinality(candidate_models)]) FROM eval_run r
  WHERE r.id = t.run_id)`

const unfinishedStatement = `
  SELECT EXISTS (SELECT 1 FROM eval_sample s JOIN eval_run r ON r.id = s.run_id
    WHERE s.run_id = $1 AND ${isUnfinished}) AS found`
