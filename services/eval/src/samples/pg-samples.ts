import type { CreateEval } from '@ratchet/contracts/evals'
import type { Pool } from '@ratchet/db/connect-pool'
import { keepableText } from '@ratchet/judge-kit/prompt/keepable-text'
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
} from './pg-sample-row.ts'
import type { LeasedSample, SampleStore } from './sample.ts'

/** Samples in Postgres. Leases use the clock of the database, so the clocks of processes need not agree. */
export function createPgSamples(pool: Pool): SampleStore {
  return {
    ...createPgSampleResults(pool),
    async lease(id, leaseMs) {
      const { rows } = await pool.query<LeasedRow>(leaseStatement, [id, leaseMs])
      return rows[0] === undefined ? null : leasedOf(pool, rows[0])
    },
    async renew({ id, generation }, leaseMs) {
      const text = `UPDATE eval_sample SET due_at = now() + $3 * interval '1 millisecond'
        WHERE id = $1 AND generation = $2 AND state = 'leased'`
      await pool.query(text, [id, generation, leaseMs])
    },
    async complete({ id, generation }, { outcomes, failure }) {
      const text = `UPDATE eval_sample SET state = 'done', outcomes = $3, failure = $4, last_error = NULL
        WHERE id = $1 AND generation = $2 AND state = 'leased'`
      return (await pool.query(text, [id, generation, outcomes, failure])).rowCount === 1
    },
    async release({ id, generation }, { error, delayMs, isDeadLettered, countsAsFailure }) {
      const [state, why] = [isDeadLettered ? 'poisoned' : 'pending', keepableText(error, 500)]
      await pool.query(releaseStatement, [id, generation, state, delayMs, why, Number(countsAsFailure)])
    },
    async overdue(limit) {
      await pool.query(deadLetterStatement, [maxLeases])
      return idsOf(await pool.query<IdRow>(overdueStatement, [limit]))
    },
    async pending(runId) {
      const text = `SELECT id FROM eval_sample WHERE run_id = $1 AND state = 'pending' ORDER BY repetition, position`
      return idsOf(await pool.query<IdRow>(text, [runId]))
    },
    async othersInProgress({ id, run }) {
      const text = `SELECT count(*)::int AS others, (count(*) FILTER (WHERE id < $2))::int AS earlier FROM eval_sample
        WHERE run_id = $1 AND state = 'leased' AND due_at > now() AND id <> $2`
      const { rows } = await pool.query<{ others: number; earlier: number }>(text, [run.id, id])
      const { others = 0, earlier = 0 } = rows[0] ?? {}
      return { hasAny: others > 0, hasEarlier: earlier > 0 }
    },
    async isOver(runId) {
      return !isFound(await pool.query<FoundRow>(unfinishedStatement, [runId]))
    },
    async countOverCap(runId) {
      const text = `SELECT count(*)::int AS total FROM eval_sample WHERE run_id = $1 AND failure = 'over_cap'`
      return (await pool.query<{ total: number }>(text, [runId])).rows[0]?.total ?? 0
    },
    measured: (runId) => measuredSamples(pool, runId),
    list: (filter) => listSamples(pool, filter),
  }
}

interface IdRow {
  readonly id: string
}

interface FoundRow {
  readonly found: boolean
}

function idsOf({ rows }: { readonly rows: readonly IdRow[] }): readonly string[] {
  return rows.map(({ id }) => id)
}

function isFound({ rows }: { readonly rows: readonly FoundRow[] }): boolean {
  return rows[0]?.found === true
}

interface LeasedRow extends SampleRow {
  readonly generation: number
  readonly failures: number
  readonly run_id: string
  readonly workspace_id: string
  readonly request: string
  readonly judge: string
  readonly max_cost_nano: string | null
  readonly run_created_by: string
  readonly run_created_at: Date
}

const leaseStatement = `
  UPDATE eval_sample s SET state = 'leased', generation = s.generation + 1, attempts = s.attempts + 1,
    due_at = now() + $2 * interval '1 millisecond'
  FROM eval_run r
  WHERE s.id = $1 AND s.state IN ('pending', 'leased') AND s.due_at <= now() AND r.id = s.run_id AND r.status = 'RUNNING'
  RETURNING s.*, r.request, r.judge, r.max_cost_nano, r.created_by AS run_created_by, r.created_at AS run_created_at`

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
    generation: row.generation,
    failures: row.failures,
    answers,
    verdicts,
  }
}

async function readResults(pool: Pool, id: string): Promise<Pick<LeasedSample, 'answers' | 'verdicts'>> {
  const [answers, verdicts] = await Promise.all([
    pool.query<AnswerRow>('SELECT * FROM eval_answer WHERE sample_id = $1', [id]),
    pool.query<VerdictRow>('SELECT * FROM eval_look WHERE sample_id = $1', [id]),
  ])
  return { answers: answers.rows.map(answerOf), verdicts: verdicts.rows.map(verdictOf) }
}

/** SQL expression: the outcomes of a dead-lettered sample, an error for every candidate. */
const errorOutcomes = `(SELECT array_fill('error'::text, ARRAY[cardinality(candidate_models)]) FROM eval_run r
      WHERE r.id = eval_sample.run_id)`

const releaseStatement = `
  UPDATE eval_sample SET state = $3::eval_sample_state, due_at = now() + $4 * interval '1 millisecond', last_error = $5,
    attempts = attempts - 1, failures = failures + $6, outcomes = CASE WHEN $3 = 'poisoned' THEN ${errorOutcomes} END
  WHERE id = $1 AND generation = $2 AND state = 'leased'`

/** Maximum leases of a sample. A sample that crashes its process never reports a failure, so leases are counted too. */
const maxLeases = 20

const deadLetterStatement = `
  UPDATE eval_sample SET state = 'poisoned', last_error = 'every worker that processed this sample ended before it finished',
    outcomes = ${errorOutcomes}
  WHERE state = 'leased' AND due_at <= now() AND attempts >= $1`

const overdueStatement = `
  SELECT s.id FROM eval_sample s JOIN eval_run r ON r.id = s.run_id AND r.status = 'RUNNING'
  WHERE s.state IN ('pending', 'leased') AND s.due_at <= now() ORDER BY s.due_at, s.repetition, s.position
  LIMIT $1`

const unfinishedStatement = `
  SELECT EXISTS (SELECT 1 FROM eval_sample s JOIN eval_run r ON r.id = s.run_id
    WHERE s.run_id = $1 AND ${isUnfinished}) AS found`
