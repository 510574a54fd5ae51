import type { EvalReport } from '@ratchet/contracts/eval-report'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'

export interface EvidenceFilter {
  readonly workspaceId: string
  /** Names of models, with or without the provider. */
  readonly baselineModel: string
  readonly candidateModel: string
  readonly since: Date
}

/** The result of a DONE eval for one candidate. */
export interface EvalEvidence {
  readonly id: string
  /** The candidate's name in the report. */
  readonly candidate: string
  readonly report: EvalReport | null
  readonly finishedAt: Date
}

export interface EvidenceStore {
  /** Evals that compared the two models and ended since the given time, newest first, at most 50. */
  find(filter: EvidenceFilter): Promise<readonly EvalEvidence[]>
}

export function createPgEvidence(pool: Pool): EvidenceStore {
  return {
    async find({ workspaceId, baselineModel, candidateModel, since }) {
      const { rows } = await pool.query<EvidenceRow>(statement, [workspaceId, since, baselineModel, candidateModel])
      return rows.map((row) => ({
        id: row.id,
        candidate: row.candidate,
        report: row.report === null ? null : (JSON.parse(row.report) as EvalReport),
        finishedAt: row.finished_at,
      }))
    },
  }
}

interface EvidenceRow extends Pick<Row<'evalRun', { finished_at: Date }>, 'id' | 'report' | 'finished_at'> {
  readonly candidate: string
}

/**
 * SQL condition: two names mean the same model. A name without a provider matches that model at any provider. Only one
 * of the two may lack its provider: `b/c` is not short for `a/b/c`, and two different providers never match.
 */
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
