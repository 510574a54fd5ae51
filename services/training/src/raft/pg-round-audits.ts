import type { Pool } from '@ratchet/db/connect-pool'
import type { AuditedAnswer } from '../audits/audited-answer.ts'
import { addGrade, type GradeTable, gradedAnswers, gradeStatement, ownGrade } from '../audits/pg-grades.ts'
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
    async grade(workspaceId, grade) {
      const added = await addGrade<GradeRow>(pool, grades, { statement: addStatement, workspaceId, grade })
      if (added === null) return null
      const { start_model: model, created_at: createdAt, ...answer } = added.row
      return { model, ...contentOf(answer), createdAt, superseded: added.superseded }
    },
  }
}

const grades: GradeTable = { table: 'raft_grade', answer: 'audit_id', owner: 'round_id' }

/** The id of an answer is a hash, so the order by it is one by chance, and the same for everyone. */
const answersStatement = `
  WITH kept AS (
    SELECT s.audit_id, s.prompt_index, s.completion,
      row_number() OVER (PARTITION BY s.prompt_index ORDER BY s.audit_id) AS of_prompt
    FROM raft_sample s WHERE s.workspace_id = $1 AND s.round_id = $2 AND s.audit_id IS NOT NULL
  ), chosen AS (SELECT * FROM kept ORDER BY of_prompt, audit_id LIMIT $3)
  SELECT c.audit_id, c.completion, p.prompt, ${ownGrade(grades, 'c.audit_id', '$4')} AS grade
  FROM chosen c JOIN raft_prompt p ON p.workspace_id = $1 AND p.round_id = $2 AND p.prompt_index = c.prompt_index
  ORDER BY c.audit_id`

const foundStatement = `
  SELECT a.round_id, count(*)::int AS graded, (count(*) FILTER (WHERE a.failed))::int AS false_pass
  FROM (${gradedAnswers(grades, '= ANY ($2::uuid[])')}) a GROUP BY a.round_id`

const addStatement = gradeStatement(
  grades,
  `SELECT s.audit_id AS answer, s.round_id AS owner, s.completion, p.prompt, r.start_model
    FROM raft_sample s
      JOIN raft_prompt p ON p.round_id = s.round_id AND p.workspace_id = s.workspace_id AND p.prompt_index = s.prompt_index
      JOIN raft_round r ON r.id = s.round_id AND r.workspace_id = s.workspace_id
    WHERE s.workspace_id = $2 AND s.audit_id = $3`,
  ['completion', 'prompt', 'start_model'],
)

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
