import type { EvalReport } from '@ratchet/contracts/eval-report'
import type { Pool } from '@ratchet/db/connect-pool'
import type { EvalEvidence, EvidenceFilter } from '../runs/eval-run.ts'

interface EvidenceRow {
  readonly id: string
  readonly candidate: string
  readonly report: string | null
  readonly finished_at: Date
}

/** Evals that compared two models, as the names were given: a name without its provider means whoever is asked by it. */
export async function findEvidence(
  pool: Pool,
  { workspaceId, baselineModel, candidateModel, since }: EvidenceFilter,
): Promise<readonly EvalEvidence[]> {
  const { rows } = await pool.query<EvidenceRow>(statement, [workspaceId, since, baselineModel, candidateModel])
  return rows.map((row) => ({
    id: row.id,
    candidate: row.candidate,
    report: row.report === null ? null : (JSON.parse(row.report) as EvalReport),
    finishedAt: row.finished_at,
  }))
}

/** Only one of the two may lack its provider: `b/c` is no short name of `a/b/c`, and of no two providers' models either. */
function isSameModel(name: string, other: string): string {
  const isShortFor = (short: string, whole: string) =>
    `(strpos(${short}, '/') = 0 AND ${short} = substr(${whole}, strpos(${whole}, '/') + 1))`
  return `(${name} = ${other} OR ${isShortFor(name, other)} OR ${isShortFor(other, name)})`
}

const statement = `
  SELECT r.id, r.report, r.finished_at, c.candidate
  FROM eval_run r CROSS JOIN LATERAL (
    SELECT named.candidate FROM unnest(r.candidate_models) WITH ORDINALITY AS named(candidate, place)
    WHERE ${isSameModel('named.candidate', '$4::text')}
    ORDER BY named.candidate <> $4::text, named.place LIMIT 1
  ) c
  WHERE r.workspace_id = $1 AND r.status = 'DONE' AND r.finished_at >= $2
    AND ${isSameModel('r.baseline_model', '$3::text')}
  ORDER BY r.finished_at DESC, r.id DESC LIMIT 50`
