import type { Pool } from '@ratchet/db/connect-pool'
import type { ErasureRooms } from '@ratchet/work-kit/erasure/erasure'
import {
  addReferences,
  eventsToSendIn,
  firstAnswersIn,
  isReferenced,
  isReferencedId,
  namesPerson,
  type RowsToErase,
  rowStep,
} from '@ratchet/work-kit/erasure/pg-steps'

/** Texts of grades and of verdicts. The grades and verdicts themselves stay, because judges were measured with them. */
export function judgingRooms(pool: Pool): ErasureRooms {
  return {
    find: (erasure) => addReferences(pool, erasure, [{ kind: 'snapshot', select: snapshots }]),
    steps: rows.map((each) => rowStep(pool, each)),
  }
}

const ofItem = `(${isReferencedId('t.log_id', 'log')} OR ${isReferenced('t.trace_id', 'trace')}
  OR ${isReferencedId('t.snapshot_id', 'snapshot')})`

const snapshots = `
  SELECT t.snapshot_id::text FROM label t
    WHERE t.workspace_id = $2 AND (${isReferencedId('t.log_id', 'log')} OR ${isReferenced('t.trace_id', 'trace')})
  UNION ALL
  SELECT t.snapshot_id::text FROM judgement t WHERE t.workspace_id = $2 AND t.snapshot_id IS NOT NULL
    AND t.label_id IN (SELECT l.id FROM label l WHERE l.workspace_id = $2 AND ${isReferencedId('l.log_id', 'log')})
  UNION ALL
  SELECT t.id::text FROM label_snapshot t WHERE t.workspace_id = $2
    AND (${isReferenced('prompt_digest(t.messages)', 'prompt')} OR ${namesPerson('t.messages')})`

const labels = `SELECT t.id FROM label t WHERE t.workspace_id = $2 AND ${ofItem}`

const rows: readonly RowsToErase[] = [
  {
    kind: 'grade_notes',
    table: 'label',
    key: 'id',
    where: `t.workspace_id = $2 AND ${ofItem} AND num_nonnulls(t.rationale, t.external_id) > 0`,
    set: 'rationale = NULL, external_id = NULL',
  },
  {
    kind: 'review_notes',
    table: 'review_grade',
    key: 'workspace_id, id',
    where: `t.workspace_id = $2 AND t.rationale IS NOT NULL AND (t.label_id IN (${labels}) OR t.item_id IN (
      SELECT i.id FROM review_item i WHERE i.workspace_id = $2
        AND (${isReferencedId('i.log_id', 'log')} OR i.label_id IN (${labels}))))`,
    set: 'rationale = NULL',
  },
  {
    kind: 'verdict_texts',
    table: 'judgement',
    key: 'id',
    where: `t.workspace_id = $2 AND ${ofItem} AND num_nonnulls(t.explanation, t.judged_response, t.last_error) > 0`,
    set: 'explanation = NULL, judged_response = NULL, last_error = NULL',
  },
  {
    kind: 'graded_texts',
    table: 'label_snapshot',
    key: 'id',
    where: `${isReferencedId('t.id', 'snapshot')} AND t.workspace_id = $2 AND t.messages <> '[]'`,
    set: `messages = '[]', response = '{"role":"assistant","content":""}', tools = NULL`,
  },
  {
    kind: 'improvement_items',
    table: 'deleted_improvement',
    key: 'run_id',
    where: `t.workspace_id = $2 AND t.items <> '[]' AND ${namesPerson('t.items')}`,
    set: `items = '[]'`,
  },
  eventsToSendIn('judging_notice'),
  firstAnswersIn('judging_answer'),
]
