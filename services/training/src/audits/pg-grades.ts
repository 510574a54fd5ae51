import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { NewGrade } from './audited-answer.ts'

/** Where grades of answers are. */
export interface GradeTable {
  readonly table: string
  /** Column with the id of the answer, and with that of the run or round that it is of. */
  readonly answer: string
  readonly owner: string
}

/**
 * What people found of the answers of some runs or rounds: the latest grade of each grader counts, and an answer failed when at
 * least half of its graders say so. Columns: owner, answer, `failed`.
 *
 * @param owners the condition on the owner, such as `= $2`; the workspace is $1
 */
export function gradedAnswers({ table, answer, owner }: GradeTable, owners: string): string {
  return `
  SELECT g.${owner}, g.${answer}, avg((g.verdict = 'fail')::int) >= 0.5 AS failed FROM (
    SELECT DISTINCT ON (${answer}, grader) ${owner}, ${answer}, verdict FROM ${table}
    WHERE workspace_id = $1 AND ${owner} ${owners} ORDER BY ${answer}, grader, created_at DESC, id DESC
  ) g GROUP BY g.${owner}, g.${answer}`
}

/** The last grade of a person for an answer, as a column; the workspace is $1. */
export function ownGrade({ table, answer }: GradeTable, of: string, grader: string): string {
  return `(
      SELECT g.verdict FROM ${table} g WHERE g.${answer} = ${of} AND g.workspace_id = $1 AND g.grader = ${grader}
      ORDER BY g.created_at DESC, g.id DESC LIMIT 1)`
}

/**
 * Adds a grade to what `found` selects: one answer with the columns `owner` and `answer` and those that are returned.
 *
 * @param found the workspace is $2, the answer $3
 * @param returned columns of `found`
 */
export function gradeStatement(
  { table, answer, owner }: GradeTable,
  found: string,
  returned: readonly string[],
): string {
  return `
  WITH found AS (${found}), added AS (
    INSERT INTO ${table} (id, ${answer}, ${owner}, workspace_id, verdict, rationale, grader, created_at)
    SELECT $1, f.answer, f.owner, $2, $4, $5, $6, now() FROM found f RETURNING created_at
  )
  SELECT ${returned.map((column) => `f.${column}`).join(', ')}, a.created_at FROM found f, added a`
}

export interface AddedGrade<Row> {
  readonly row: Row
  /** Whether the person had graded the answer before. */
  readonly superseded: boolean
}

/** @param statement of {@link gradeStatement}. Returns null for an answer that is not there */
export function addGrade<Row extends object>(
  pool: Pool,
  { table, answer }: GradeTable,
  {
    statement,
    workspaceId,
    grade,
  }: { readonly statement: string; readonly workspaceId: string; readonly grade: NewGrade },
): Promise<AddedGrade<Row> | null> {
  const { id, rolloutId, verdict, rationale, grader } = grade
  const before = `SELECT 1 FROM ${table} g WHERE g.workspace_id = $1 AND g.${answer} = $2 AND g.grader = $3 LIMIT 1`
  return inTransaction(pool, async (client) => {
    const { rows: known } = await client.query(before, [workspaceId, rolloutId, grader])
    const { rows } = await client.query<Row>(statement, [id, workspaceId, rolloutId, verdict, rationale, grader])
    return rows[0] === undefined ? null : { row: rows[0], superseded: known.length > 0 }
  })
}
