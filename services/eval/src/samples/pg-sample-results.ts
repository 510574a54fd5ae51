import type { Pool } from '@ratchet/db/connect-pool'
import { renderReplyText } from '@ratchet/judge-kit/prompt/render-exchange'
import { createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import type { PairVerdict } from '../judging/pair-verdict.ts'
import type { LeasedSample, ModelAnswer, SampleStore } from './sample.ts'

/*
 * Results of a sample are saved without texts when the texts of the sample were deleted in the meantime. The row lock
 * orders a concurrent deletion and insert, so that the second one always sees the first.
 */

const insertAnswersStatement = `
  INSERT INTO eval_answer (sample_id, run_id, model_index, message, error, recorded, cost_nano, latency_ms, assertions,
    text_length)
  SELECT s.id, t.run_id, t.model_index, CASE WHEN s.prompt IS NULL THEN NULL ELSE t.message END, t.error, t.recorded,
    t.cost_nano, t.latency_ms, t.assertions, t.text_length
  FROM unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::text[], $5::text[], $6::boolean[], $7::bigint[], $8::float8[],
      $9::text[], $10::integer[])
    AS t(sample_id, run_id, model_index, message, error, recorded, cost_nano, latency_ms, assertions, text_length)
  JOIN eval_sample s ON s.id = t.sample_id ORDER BY s.id FOR SHARE OF s ON CONFLICT DO NOTHING`

const insertVerdictsStatement = `
  INSERT INTO eval_look (sample_id, run_id, candidate_index, swapped, preference, failure, explanation, cost_nano)
  SELECT s.id, t.run_id, t.candidate_index, t.swapped, t.preference, t.failure,
    CASE WHEN s.prompt IS NULL THEN NULL ELSE t.explanation END, t.cost_nano
  FROM unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::bigint[])
    AS t(sample_id, run_id, candidate_index, swapped, preference, failure, explanation, cost_nano)
  JOIN eval_sample s ON s.id = t.sample_id ORDER BY s.id FOR SHARE OF s
  ON CONFLICT (sample_id, candidate_index, swapped)
  DO UPDATE SET preference = excluded.preference, failure = excluded.failure, explanation = excluded.explanation,
    cost_nano = excluded.cost_nano
  WHERE eval_look.failure = 'unfinished'`

const insertPanelStatement = `
  INSERT INTO eval_panel_verdict (sample_id, run_id, candidate_index, swapped, preference, failure, explanation, cost_nano,
    judge_index)
  SELECT s.id, t.run_id, t.candidate_index, t.swapped, t.preference, t.failure,
    CASE WHEN s.prompt IS NULL THEN NULL ELSE t.explanation END, t.cost_nano, t.judge_index
  FROM unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::bigint[],
      $9::smallint[])
    AS t(sample_id, run_id, candidate_index, swapped, preference, failure, explanation, cost_nano, judge_index)
  JOIN eval_sample s ON s.id = t.sample_id ORDER BY s.id FOR SHARE OF s
  ON CONFLICT (sample_id, judge_index, candidate_index, swapped)
  DO UPDATE SET preference = excluded.preference, failure = excluded.failure, explanation = excluded.explanation,
    cost_nano = excluded.cost_nano
  WHERE eval_panel_verdict.failure = 'unfinished'`

type Values = readonly unknown[]

/** Saves each result at once. Results that arrive while a statement runs share the next statement. */
export function createPgSampleResults(pool: Pool): Pick<SampleStore, 'saveAnswer' | 'saveVerdict'> {
  const columnsOf = (rows: readonly Values[]) => (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]))
  const inserterOf = (text: string) => createInserter((rows) => pool.query(text, columnsOf(rows)))
  const [insertAnswer, insertVerdict] = [inserterOf(insertAnswersStatement), inserterOf(insertVerdictsStatement)]
  const insertOfPanel = inserterOf(insertPanelStatement)
  return {
    saveAnswer: (sample, answer) => insertAnswer([...placeOf(sample), ...answerValues(answer)]),
    saveVerdict(sample, verdict) {
      const values = [...placeOf(sample), ...verdictValues(verdict)]
      const { judgeIndex = 0 } = verdict
      return judgeIndex === 0 ? insertVerdict(values) : insertOfPanel([...values, judgeIndex])
    },
  }
}

/** Inserts rows together. When the database refuses them, each row is inserted alone, so that one bad row affects no other. */
function createInserter(insert: (rows: readonly Values[]) => Promise<unknown>): (row: Values) => Promise<void> {
  const attempt = async (rows: readonly Values[]): Promise<readonly PromiseSettledResult<unknown>[]> => {
    const [together] = await Promise.allSettled([insert(rows)])
    if (rows.length === 1 || !isRefused(together)) return rows.map(() => together)
    return Promise.allSettled(rows.map((row) => insert([row])))
  }
  const batch = createGroupCommit({ run: attempt, maxBatch: 50 })
  return async (row) => {
    const result = await batch.add(row)
    if (result.status === 'rejected') throw result.reason
  }
}

/** Whether the database refused the statement. A connection error has no severity. */
function isRefused(result: PromiseSettledResult<unknown>): boolean {
  return result.status === 'rejected' && result.reason instanceof Error && 'severity' in result.reason
}

function placeOf({ id, run }: Pick<LeasedSample, 'id' | 'run'>): Values {
  return [id, run.id]
}

function answerValues(answer: ModelAnswer): Values {
  const { modelIndex, message, error, isRecorded, costNano, latencyMs, assertions } = answer
  const [text, cost] = [message === null ? null : JSON.stringify(message), costNano === null ? null : String(costNano)]
  // Its length is stored because the text may be deleted before the report is built.
  const length = message === null ? null : renderReplyText(message).length
  return [modelIndex, text, error, isRecorded, cost, latencyMs, JSON.stringify(assertions), length]
}

function verdictValues(verdict: PairVerdict): Values {
  const { candidateIndex, isSwapped, preference, failure, explanation, costNano } = verdict
  return [candidateIndex, isSwapped, preference, failure, explanation, String(costNano)]
}
