import type { EvalOutcome } from '@ratchet/contracts/evals'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { PairVerdict } from '../judging/pair-verdict.ts'
import { combinePanel, pairsOfJudges } from '../judging/panel-pair.ts'
import type { MeasuredSample } from './measured-sample.ts'
import {
  type AnswerRow,
  answerOf,
  type SampleRow,
  sampleOf,
  type VerdictRow,
  verdictOf,
  verdictTable,
} from './pg-sample-row.ts'
import type { DoneSample, SampleFilter } from './sample.ts'
import { placeOfSample } from './sample-place.ts'

/**
 * Reads the measurements of samples in their order. Texts are not read.
 *
 * @param options samples that were not needed are left out, or unfinished with `withSkipped`
 */
export async function measuredSamples(
  pool: Pool,
  runId: string,
  { withSkipped = false } = {},
): Promise<readonly MeasuredSample[]> {
  const [samples, answers, verdicts] = await Promise.all([
    pool.query<MeasuredRow>(measuredStatement, [runId, withSkipped]),
    pool.query<MeasuredAnswerRow>(answersStatement, [runId]),
    pool.query<VerdictRow>(looksStatement, [runId]),
  ])
  const answersOf = Map.groupBy(answers.rows, ({ sample_id }) => sample_id)
  const preferencesOf = Map.groupBy(verdicts.rows, ({ sample_id }) => sample_id)
  return samples.rows.map(
    ({ models, judges, ...row }): MeasuredSample => ({
      id: placeOfSample(row),
      cluster: row.cluster,
      traceId: row.trace_id,
      segment: row.segment,
      isFinished: row.is_finished,
      answers: answersByModel(models, answersOf.get(row.id) ?? []),
      ...(row.is_done
        ? pairsOf({ candidates: models - 1, judges }, (preferencesOf.get(row.id) ?? []).map(verdictOf))
        : { pairs: [] }),
    }),
  )
}

interface MeasuredRow
  extends Pick<Row<'evalSample'>, 'id' | 'position' | 'repetition' | 'cluster' | 'trace_id' | 'segment'> {
  /** Number of models, the baseline included. */
  readonly models: number
  readonly judges: number
  /** Whether the sample finished without a failure. */
  readonly is_done: boolean
  /** Whether it is done or dead-lettered. */
  readonly is_finished: boolean
}

const isNeeded = `s.failure IS DISTINCT FROM 'not_needed'`

const measuredStatement = `
  SELECT s.id, s.position, s.repetition,
    1 + cardinality(r.candidate_models) AS models,
    1 + coalesce(jsonb_array_length(r.judge::jsonb -> 'panel'), 0) AS judges, s.cluster, s.trace_id, s.segment,
    s.state = 'done' AND s.failure IS NULL AS is_done, s.state IN ('done', 'poisoned') AND ${isNeeded} AS is_finished
  FROM eval_sample s JOIN eval_run r ON r.id = s.run_id
  WHERE s.run_id = $1 AND ($2 OR ${isNeeded}) ORDER BY s.position, s.repetition`

const answersStatement = `
  SELECT sample_id, model_index, NULL AS message, error, recorded, cost_nano, latency_ms, assertions, text_length
  FROM eval_answer WHERE run_id = $1 ORDER BY sample_id, model_index`

const looksStatement = `
  SELECT sample_id, candidate_index, swapped, preference, failure, NULL AS explanation, cost_nano, judge_index
  FROM ${verdictTable} v WHERE v.run_id = $1`

interface MeasuredAnswerRow extends AnswerRow, Pick<Row<'evalAnswer'>, 'text_length'> {}

/** One entry for each model; null without a result. */
function answersByModel(models: number, answers: readonly MeasuredAnswerRow[]): MeasuredSample['answers'] {
  return Array.from({ length: models }, (_, index) => {
    const own = answers.find(({ model_index: modelIndex }) => modelIndex === index)
    return own === undefined ? null : measuredAnswer(own)
  })
}

function measuredAnswer(row: MeasuredAnswerRow) {
  const { error, costNano, latencyMs, assertions } = answerOf(row)
  return { isAnswered: error === null, costNano, latencyMs, assertions, textLength: row.text_length }
}

function pairsOf(
  { candidates, judges }: { readonly candidates: number; readonly judges: number },
  verdicts: readonly PairVerdict[],
): Pick<MeasuredSample, 'pairs' | 'judgePairs'> {
  const judgePairs = Array.from({ length: candidates }, (_, index) =>
    pairsOfJudges(verdicts, { candidateIndex: index + 1, judges }),
  )
  return { pairs: judgePairs.map(combinePanel), ...(judges === 1 ? {} : { judgePairs }) }
}

interface ListedRow extends SampleRow, Pick<Row<'evalSample'>, 'failure' | 'last_error' | 'disputed'> {
  readonly outcomes: readonly EvalOutcome[] | null
}

/** SQL condition: a judge preferred another answer when the order was swapped. */
const isInconsistent = `EXISTS (
  SELECT 1 FROM ${verdictTable} plain JOIN ${verdictTable} swapped USING (sample_id, candidate_index, judge_index)
  WHERE sample_id = eval_sample.id AND NOT plain.swapped AND swapped.swapped
    AND ($3::int IS NULL OR candidate_index = $3)
    AND (plain.preference, swapped.preference) NOT IN (('first', 'second'), ('second', 'first'), ('tie', 'tie')))`

const isListed = `run_id = $1 AND state IN ('done', 'poisoned') AND failure IS DISTINCT FROM 'not_needed'
  AND ($4::boolean IS NULL OR disputed = $4) AND ($5::boolean IS NULL OR ${isInconsistent} = $5)
  AND ($2::text IS NULL OR CASE WHEN $3::int IS NULL THEN $2 = ANY(outcomes) ELSE outcomes[$3] = $2 END)`

/** Lists finished and dead-lettered samples with their texts, in their order. */
export async function listSamples(pool: Pool, filter: SampleFilter) {
  const { runId, outcome = null, candidateIndex = null, disputed = null, inconsistent = null, limit, offset } = filter
  const values = [runId, outcome, candidateIndex, disputed, inconsistent]
  const counted = await pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM eval_sample WHERE ${isListed}`,
    values,
  )
  const page = `SELECT * FROM eval_sample WHERE ${isListed} ORDER BY position, repetition LIMIT $6 OFFSET $7`
  const { rows } = await pool.query<ListedRow>(page, [...values, limit, offset])
  const ids = rows.map(({ id }) => id)
  const [answers, verdicts] = await Promise.all([
    pool.query<AnswerRow>('SELECT * FROM eval_answer WHERE sample_id = ANY($1::uuid[]) ORDER BY model_index', [ids]),
    pool.query<VerdictRow>(
      `SELECT * FROM ${verdictTable} v WHERE v.sample_id = ANY($1::uuid[])
        ORDER BY candidate_index, judge_index, swapped`,
      [ids],
    ),
  ])
  const answersOf = Map.groupBy(answers.rows, ({ sample_id }) => sample_id)
  const preferencesOf = Map.groupBy(verdicts.rows, ({ sample_id }) => sample_id)
  const samples = rows.map(
    (row): DoneSample => ({
      ...sampleOf(row),
      answers: (answersOf.get(row.id) ?? []).map(answerOf),
      verdicts: (preferencesOf.get(row.id) ?? []).map(verdictOf),
      outcomes: row.outcomes ?? [],
      disputed: row.disputed,
      error: row.failure ?? row.last_error,
    }),
  )
  return { total: counted.rows[0]?.total ?? 0, samples }
}
