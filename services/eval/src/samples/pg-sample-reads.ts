import type { EvalOutcome } from '@ratchet/contracts/evals'
import type { Pool } from '@ratchet/db/connect-pool'
import type { JudgedPair, MeasuredSample } from './measured-sample.ts'
import { pairOf } from './pair-of.ts'
import { type AnswerRow, answerOf, type LookRow, lookOf, type SampleRow, sampleOf } from './pg-sample-row.ts'
import type { DoneSample, KeptAnswer, KeptLook, SampleFilter } from './sample.ts'

/** All samples, in their order, as far as they are done; what they hold of texts is not read. */
export async function measuredSamples(pool: Pool, runId: string): Promise<readonly MeasuredSample[]> {
  const [samples, answers, looks] = await Promise.all([
    pool.query<MeasuredRow>(measuredStatement, [runId]),
    pool.query<AnswerRow>(answersStatement, [runId]),
    pool.query<LookRow>(looksStatement, [runId]),
  ])
  const answersOf = Map.groupBy(answers.rows, ({ sample_id }) => sample_id)
  const looksOf = Map.groupBy(looks.rows, ({ sample_id }) => sample_id)
  return samples.rows.map(({ id, place, models, cluster, trace_id: traceId, is_done: isDone }) => ({
    id: place,
    cluster,
    traceId,
    answers: inPlaces(models, (answersOf.get(id) ?? []).map(answerOf)),
    pairs: isDone ? pairsOf(models - 1, (looksOf.get(id) ?? []).map(lookOf)) : [],
  }))
}

interface MeasuredRow {
  readonly id: string
  /** The same in every eval for the sample that was drawn at the same place. */
  readonly place: string
  /** How many are compared. */
  readonly models: number
  readonly cluster: string
  readonly trace_id: string | null
  /** Whether every model was asked. */
  readonly is_done: boolean
}

const measuredStatement = `
  SELECT s.id, format('%s-%s', lpad(s.position::text, 6, '0'), s.repetition) AS place,
    1 + cardinality(r.candidate_models) AS models, s.cluster, s.trace_id,
    s.state = 'done' AND s.failure IS NULL AS is_done
  FROM eval_sample s JOIN eval_run r ON r.id = s.run_id
  WHERE s.run_id = $1 ORDER BY s.position, s.repetition`

const answersStatement = `
  SELECT sample_id, model_index, NULL AS message, error, recorded, cost_nano, latency_ms, assertions
  FROM eval_answer WHERE run_id = $1 ORDER BY sample_id, model_index`

const looksStatement = `
  SELECT sample_id, candidate_index, swapped, preference, failure, NULL AS explanation, cost_nano
  FROM eval_look WHERE run_id = $1`

/** What each model answered, as far as it was asked. */
function inPlaces(models: number, answers: readonly KeptAnswer[]): MeasuredSample['answers'] {
  return Array.from({ length: models }, (_, index) => {
    const own = answers.find(({ modelIndex }) => modelIndex === index)
    return own === undefined ? null : measuredAnswer(own)
  })
}

function measuredAnswer({ error, costNano, latencyMs, assertions }: KeptAnswer) {
  return { isAnswered: error === null, costNano, latencyMs, assertions }
}

function pairsOf(candidates: number, looks: readonly KeptLook[]): readonly JudgedPair[] {
  return Array.from({ length: candidates }, (_, index) => pairOf(looks, index + 1))
}

interface ListedRow extends SampleRow {
  readonly outcomes: readonly EvalOutcome[] | null
  readonly failure: string | null
  readonly last_error: string | null
}

const isListed = `run_id = $1 AND state IN ('done', 'poisoned')
  AND ($2::text IS NULL OR CASE WHEN $3::int IS NULL THEN $2 = ANY(outcomes) ELSE outcomes[$3] = $2 END)`

/** What is listed of samples, in their order. */
export async function listSamples(pool: Pool, filter: SampleFilter) {
  const { runId, outcome = null, candidateIndex = null, limit, offset } = filter
  const values = [runId, outcome, candidateIndex]
  const counted = await pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM eval_sample WHERE ${isListed}`,
    values,
  )
  const page = `SELECT * FROM eval_sample WHERE ${isListed} ORDER BY position, repetition LIMIT $4 OFFSET $5`
  const { rows } = await pool.query<ListedRow>(page, [...values, limit, offset])
  const ids = rows.map(({ id }) => id)
  const [answers, looks] = await Promise.all([
    pool.query<AnswerRow>('SELECT * FROM eval_answer WHERE sample_id = ANY($1::uuid[]) ORDER BY model_index', [ids]),
    pool.query<LookRow>('SELECT * FROM eval_look WHERE sample_id = ANY($1::uuid[]) ORDER BY candidate_index, swapped', [
      ids,
    ]),
  ])
  const answersOf = Map.groupBy(answers.rows, ({ sample_id }) => sample_id)
  const looksOf = Map.groupBy(looks.rows, ({ sample_id }) => sample_id)
  const samples = rows.map(
    (row): DoneSample => ({
      ...sampleOf(row),
      answers: (answersOf.get(row.id) ?? []).map(answerOf),
      looks: (looksOf.get(row.id) ?? []).map(lookOf),
      outcomes: row.outcomes ?? [],
      error: row.failure ?? row.last_error,
    }),
  )
  return { total: counted.rows[0]?.total ?? 0, samples }
}
