import type { Pool } from '@ratchet/db/connect-pool'

/** What the rounds of a judge say about a person. */
export interface GraderFigures {
  readonly graderId: string
  readonly medianMs: number | null
  /** Items that were shown again, and those of them with the same grade. */
  readonly again: { readonly same: number; readonly count: number }
  /** Items that two people had settled, and those of them that the person graded in the same way. */
  readonly known: { readonly right: number; readonly count: number }
}

export type GraderReads = ReturnType<typeof createPgGraders>

export function createPgGraders(pool: Pool) {
  return {
    async figures(workspaceId: string, criterionId: string): Promise<ReadonlyMap<string, GraderFigures>> {
      const { rows } = await pool.query<FiguresRow>(figuresStatement, [workspaceId, criterionId])
      return new Map(rows.map((row) => [row.grader_id, figuresOf(row)]))
    },
  }
}

const figuresStatement = `
  SELECT i.grader_id::text AS grader_id, percentile_cont(0.5) WITHIN GROUP (ORDER BY last.shown_ms) AS median_ms,
    (count(*) FILTER (WHERE i.kind = 'again' AND last.label <> 'unsure'))::int AS again,
    (count(*) FILTER (WHERE i.kind = 'again' AND last.label = l.label::text))::int AS same,
    (count(*) FILTER (WHERE i.kind = 'known' AND last.label <> 'unsure'))::int AS known,
    (count(*) FILTER (WHERE i.kind = 'known' AND last.label = l.label::text))::int AS right
  FROM review_item i JOIN review_round r ON r.id = i.round_id AND r.workspace_id = $1
  JOIN LATERAL (SELECT label, shown_ms FROM review_grade g WHERE g.workspace_id = $1 AND g.item_id = i.id AND g.blind
    ORDER BY g.position DESC LIMIT 1) last ON true
  LEFT JOIN label l ON l.id = i.label_id AND l.workspace_id = $1
  WHERE i.workspace_id = $1 AND r.criterion_id = $2 GROUP BY i.grader_id`

interface FiguresRow {
  readonly grader_id: string
  readonly median_ms: number | null
  readonly again: number
  readonly same: number
  readonly known: number
  readonly right: number
}

function figuresOf({ grader_id: graderId, median_ms: medianMs, again, same, known, right }: FiguresRow): GraderFigures {
  return { graderId, medianMs, again: { same, count: again }, known: { right, count: known } }
}
