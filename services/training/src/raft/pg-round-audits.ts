import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { AuditedAnswer } from '../audits/audited-answer.ts'
import type { RoundPrompt } from './round.ts'
import type { RoundAudits } from './round-audit.ts'

/** Answers that rounds trained on, and what people said of them, in Postgres. */
export function createPgRoundAudits(pool: Pool): RoundAudits {
  return {
    async answers({ workspaceId, id }, { limit, grader }) {
      const { rows } = await pool.query<AuditRow>(answersStatement, [workspaceId, id, limit, grader])
      return rows.map(auditedOf)
    },
    async found(workspaceId, roundIds) {
      const { rows } = await pool.query<FoundRow>(foundStatement, [workspaceId, roundIds])
      return new Map(rows.map(({ round_id, graded, false_pass }) => [round_id, { graded, falsePass: false_pass }]))
    },
    grade: (workspaceId, { id, rolloutId, verdict, rationale, grader }) =>
      inTransaction(pool, async (client) => {
        const before = await client.query(gradedStatement, [workspaceId, rolloutId, grader])
        const values = [id, workspaceId, rolloutId, verdict, rationale, grader]
        const { rows } = await client.query<GradeRow>(gradeStatement, values)
        const [row] = rows
        if (row === undefined) return null
        const { start_model: model, created_at: createdAt, ...answer } = row
        return { model, ...contentOf(answer), createdAt, superseded: before.rows.length > 0 }
      }),
  }
}

/** The id of an answer is a hash, so the order by it is one by chance, and the same for everyone. */
const answersStatement = `
  WITH kept AS (
    SELECT s.audit_id, s.prompt_index, s.completion,
      row_number() OVER (PARTITION BY s.prompt_index ORDER BY s.audit_id) AS of_prompt
    FROM raft_sample s WHERE s.workspace_id = $1 AND s.round_id = $2 AND s.audit_id IS NOT NULL
  ), chosen AS (SELECT * FROM kept ORDER BY of_prompt, audit_id LIMIT $3)
  SELECT c.audit_id, c.completion, p.prompt, (
      SELECT g.verdict FROM raft_grade g WHERE g.audit_id = c.audit_id AND g.workspace_id = $1 AND g.grader = $4
      ORDER BY g.created_at DESC, g.id DESC LIMIT 1) AS grade
  FROM chosen c JOIN raft_prompt p ON p.workspace_id = $1 AND p.round_id = $2 AND p.prompt_index = c.prompt_index
  ORDER BY c.audit_id`

/** The latest grade of each grader; an answer failed when at least half of its graders say so. */
const foundStatement = `
  SELECT a.round_id, count(*)::int AS graded, (count(*) FILTER (WHERE a.failed))::int AS false_pass FROM (
    SELECT g.round_id, g.audit_id, avg((g.verdict = 'fail')::int) >= 0.5 AS failed FROM (
      SELECT DISTINCT ON (audit_id, grader) round_id, audit_id, verdict FROM raft_grade
      WHERE workspace_id = $1 AND round_id = ANY ($2::uuid[]) ORDER BY audit_id, grader, created_at DESC, id DESC
    ) g GROUP BY g.round_id, g.audit_id
  ) a GROUP BY a.round_id`

const gradedStatement = `
  SELECT 1 FROM raft_grade g WHERE g.workspace_id = $1 AND g.audit_id = $2 AND g.grader = $3 LIMIT 1`

const gradeStatement = `
  WITH found AS (
    SELECT s.audit_id, s.round_id, s.completion, p.prompt, r.start_model
    FROM raft_sample s
      JOIN raft_prompt p ON p.round_id = s.round_id AND p.workspace_id = s.workspace_id AND p.prompt_index = s.prompt_index
      JOIN raft_round r ON r.id = s.round_id AND r.workspace_id = s.workspace_id
    WHERE s.workspace_id = $2 AND s.audit_id = $3
  ), added AS (
    INSERT INTO raft_grade (id, audit_id, round_id, workspace_id, verdict, rationale, grader, created_at)
    SELECT $1, f.audit_id, f.round_id, $2, $4, $5, $6, now() FROM found f RETURNING created_at
  )
  SELECT f.completion, f.prompt, f.start_model, a.created_at FROM found f, added a`

interface FoundRow {
  readonly round_id: string
  readonly graded: number
  readonly false_pass: number
}

interface ContentRow {
  readonly completion: string
  readonly prompt: string
}

interface AuditRow extends ContentRow {
  readonly audit_id: string
  readonly grade: AuditedAnswer['grade']
}

interface GradeRow extends ContentRow {
  readonly start_model: string
  readonly created_at: Date
}

function auditedOf({ audit_id: id, grade, ...answer }: AuditRow): AuditedAnswer {
  return { id, ...contentOf(answer), grade }
}

function contentOf({ prompt, completion }: ContentRow): Pick<AuditedAnswer, 'prompt' | 'completion'> {
  const message = { role: 'assistant', ...JSON.parse(completion) } as AuditedAnswer['completion'][number]
  return { prompt: JSON.parse(prompt) as RoundPrompt, completion: [message] }
}
