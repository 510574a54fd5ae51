import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { CalibrationRow, Cell, RowFilter } from './calibration-row.ts'

const cells: Readonly<Record<Cell, readonly [human: Verdict, judge: Verdict]>> = {
  tp: ['fail', 'fail'],
  fn: ['fail', 'pass'],
  fp: ['pass', 'fail'],
  tn: ['pass', 'pass'],
}

/** Bytes of content after which a page ends early. */
const pageBytes = 16 * mebibyte

const where = `j.run_id = $1 AND j.state = 'done' AND j.human IS NOT NULL AND j.snapshot_id IS NOT NULL
  AND ($2::verdict IS NULL OR (j.human = $2 AND j.verdict = $3::verdict))`

/** The inner query computes sizes without reading content, so that large content is read only for the page. */
const pageStatement = `
  WITH page AS (
    SELECT j.id, j.label_id, j.human, j.verdict, j.explanation, j.weight, j.snapshot_id,
      sum(octet_length(s.messages) + octet_length(s.response)) OVER (ORDER BY j.id) AS bytes_so_far
    FROM judgement j JOIN label_snapshot s ON s.id = j.snapshot_id WHERE ${where}
    ORDER BY j.id LIMIT $4 OFFSET $5)
  SELECT p.label_id, p.human, p.verdict, p.explanation, p.weight, s.messages, s.response
  FROM page p JOIN label_snapshot s ON s.id = p.snapshot_id
  WHERE p.bytes_so_far - (SELECT min(bytes_so_far) FROM page) <= $6
  ORDER BY p.id`

interface ItemRow
  extends Pick<
      Row<'judgement', { label_id: string; human: Verdict }>,
      'label_id' | 'human' | 'verdict' | 'explanation' | 'weight'
    >,
    Pick<Row<'labelSnapshot'>, 'messages' | 'response'> {}

/** Judged rows of a calibration, in a stable order. */
export async function readCalibrationRows(pool: Pool, { runId, cell, limit, offset }: RowFilter) {
  const [human, judge] = cell === undefined ? [null, null] : cells[cell]
  const key = [runId, human, judge]
  const count = `SELECT count(*)::int AS total FROM judgement j WHERE ${where}`
  const counted = await pool.query<{ total: number }>(count, key)
  const { rows } = await pool.query<ItemRow>(pageStatement, [...key, limit, offset, pageBytes])
  return { total: counted.rows[0]?.total ?? 0, rows: rows.map(rowOf) }
}

function rowOf(row: ItemRow): CalibrationRow {
  return {
    labelId: row.label_id,
    human: row.human,
    judge: row.verdict,
    explanation: row.explanation,
    weight: row.weight,
    messages: row.messages,
    response: row.response,
  }
}
