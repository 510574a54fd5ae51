import type { Pool } from '@ratchet/db/connect-pool'
import type { ErasureRooms } from '@ratchet/work-kit/erasure/erasure'
import {
  addReferences,
  isReferenced,
  isReferencedId,
  namesPerson,
  type RowsToErase,
  rowStep,
  waitingStep,
} from '@ratchet/work-kit/erasure/pg-steps'

/** Texts of samples, answers and verdicts of evals, and requests of batches. The measurements of evals stay. */
export function evalRooms(pool: Pool): ErasureRooms {
  return {
    find: (erasure) => addReferences(pool, erasure, [{ kind: 'sample', select: samples }]),
    steps: [...rows.map((each) => rowStep(pool, each)), waitingStep(pool, rowStep(pool, batchLines), running)],
  }
}

const samples = `
  SELECT t.id::text FROM eval_sample t WHERE t.workspace_id = $2
    AND (${isReferencedId('t.log_id', 'log')} OR ${isReferenced('t.trace_id', 'trace')}
      OR ${isReferenced('prompt_digest(t.prompt)', 'prompt')} OR ${namesPerson('t.prompt')})`

const ofSample = isReferencedId('t.sample_id', 'sample')

const rows: readonly RowsToErase[] = [
  {
    kind: 'eval_samples',
    table: 'eval_sample',
    key: 'id',
    where: `${isReferencedId('t.id', 'sample')} AND num_nonnulls(t.prompt, t.reference, t.recorded, t.last_error) > 0`,
    set: 'prompt = NULL, reference = NULL, recorded = NULL, last_error = NULL',
  },
  {
    kind: 'eval_answers',
    table: 'eval_answer',
    key: 'sample_id, model_index',
    where: `${ofSample} AND (t.message IS NOT NULL OR t.error <> 'forgotten')`,
    set: `message = NULL, error = CASE WHEN error IS NOT NULL THEN 'forgotten' END`,
  },
  {
    kind: 'eval_verdicts',
    table: 'eval_look',
    key: 'sample_id, candidate_index, swapped',
    where: `${ofSample} AND t.explanation IS NOT NULL`,
    set: 'explanation = NULL',
  },
  {
    kind: 'eval_verdicts',
    table: 'eval_panel_verdict',
    key: 'sample_id, judge_index, candidate_index, swapped',
    where: `${ofSample} AND t.explanation IS NOT NULL`,
    set: 'explanation = NULL',
  },
]

const ofPerson = `t.workspace_id = $2 AND t.body <> '{}'
  AND (${isReferenced('t.request_id', 'request')} OR ${namesPerson('t.body')})`

/** Lines are deleted when the files of their batch are written. Those that are left belong to batches that still run. */
const batchLines: RowsToErase = {
  kind: 'batch_lines',
  table: 'batch_line',
  key: 'id',
  where: ofPerson,
  set: `body = '{}', custom_id = '', response = NULL, last_error = NULL,
    error = CASE WHEN error IS NULL AND status_code IS NULL THEN NULL ELSE '{}' END`,
}

const running = {
  select: `SELECT 1 FROM batch_line t JOIN batch b ON b.id = t.batch_id AND b.workspace_id = $2
    WHERE b.ended_at IS NULL AND ${ofPerson}`,
  what: 'a batch with requests of the person still runs',
}
