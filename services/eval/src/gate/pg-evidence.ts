import type { Preferred } from '@ratchet/contracts/eval-preferences'
import type { EvalReport } from '@ratchet/contracts/eval-report'
import type { CreateEval } from '@ratchet/contracts/evals'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { BlindPreference } from '../preferences/compared-blind.ts'
import type { EvalJudge } from '../runs/eval-run.ts'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import { measuredSamples } from '../samples/pg-sample-reads.ts'
import { placeOfSample } from '../samples/sample-place.ts'

export interface EvidenceFilter {
  readonly workspaceId: string
  /** Names of models, with or without the provider. */
  readonly baselineModel: string
  readonly candidateModel: string
  readonly since: Date
}

/** The result of a DONE eval for one candidate. */
export interface EvalResult {
  readonly id: string
  /** The candidate's name in the report. */
  readonly candidate: string
  /** Its index among the candidates. */
  readonly place: number
  readonly request: CreateEval
  /** As it was when the eval was created. */
  readonly judge: EvalJudge
  /**
   * Number among the evals of the two models, and the comparisons by people, in the 30 days before it, from 1. An eval that
   * ended without a sample is none.
   */
  readonly attempt: number
  /** The same for the comparison by people, which begins with the first blind preference; null before it. */
  readonly peopleAttempt: number | null
  readonly report: EvalReport | null
  readonly finishedAt: Date
}

export interface EvidenceStore {
  /** Evals that compared the two models and ended since the given time, newest first, at most 50. */
  find(filter: EvidenceFilter): Promise<readonly EvalResult[]>
  /** The number of an eval among those of the same two models, for each of its candidates; empty unless it is DONE. */
  attempts(run: RunOfWorkspace): Promise<readonly CandidateAttempt[]>
  /** Measurements of all samples of an eval in the order of the draw. One that was not needed is unfinished. */
  measured(runId: string): Promise<readonly MeasuredSample[]>
  /** The first blind preference about each pair, whoever gave it. */
  compared(run: RunOfWorkspace): Promise<readonly BlindPreference[]>
  /** Average number of comparisons that earlier evals of the workspace made on a prompt of this eval. */
  promptUses(run: RunOfWorkspace): Promise<number>
}

interface RunOfWorkspace {
  readonly workspaceId: string
  readonly id: string
}

export type CandidateAttempt = Pick<EvalResult, 'candidate' | 'place' | 'attempt' | 'peopleAttempt'>

export function createPgEvidence(pool: Pool): EvidenceStore {
  return {
    async find({ workspaceId, baselineModel, candidateModel, since }) {
      const { rows } = await pool.query<EvidenceRow>(statement, [workspaceId, since, baselineModel, candidateModel])
      return rows.map((row) => ({
        id: row.id,
        candidate: row.candidate,
        place: row.place - 1,
        request: JSON.parse(row.request) as CreateEval,
        judge: JSON.parse(row.judge) as EvalJudge,
        attempt: row.attempt,
        peopleAttempt: row.peopleAttempt,
        report: row.report === null ? null : (JSON.parse(row.report) as EvalReport),
        finishedAt: row.finished_at,
      }))
    },
    async attempts({ workspaceId, id }) {
      const { rows } = await pool.query<CandidateAttempt>(attemptsStatement, [workspaceId, id])
      return rows
    },
    measured: (runId) => measuredSamples(pool, runId, { withSkipped: true }),
    async compared({ workspaceId, id }) {
      const { rows } = await pool.query<ComparedRow>(comparedStatement, [workspaceId, id])
      return rows.map((row) => ({
        place: placeOfSample(row),
        candidateIndex: row.candidate_index,
        preferred: row.preference,
        createdBy: row.created_by,
      }))
    },
    async promptUses({ workspaceId, id }) {
      const { rows } = await pool.query<{ uses: number }>(promptUsesStatement, [workspaceId, id])
      return rows[0]?.uses ?? 0
    },
  }
}

interface EvidenceRow
  extends Pick<Row<'evalRun', { finished_at: Date }>, 'id' | 'request' | 'judge' | 'report' | 'finished_at'> {
  readonly candidate: string
  /** From 1. */
  readonly place: number
  readonly attempt: number
  readonly peopleAttempt: number | null
}

type ComparedRow = Row<'evalPreference', { preference: Preferred }> & Pick<Row<'evalSample'>, 'position' | 'repetition'>

/**
 * SQL condition: two names mean the same model. A name without a provider matches that model at any provider. Only one
 * of the two may lack its provider: `b/c` is not short for `a/b/c`, and two different providers never match.
 */
function isSameModel(name: string, other: string): string {
  const isShortFor = (short: string, whole: string) =>
    `(strpos(${short}, '/') = 0 AND ${short} = substr(${whole}, strpos(${whole}, '/') + 1))`
  return `(${name} = ${other} OR ${isShortFor(name, other)} OR ${isShortFor(other, name)})`
}

/** The evals of a workspace that compared two models, each with the candidate that is the second of them, and when people began. */
function evalsOfPair(baseline: string, candidate: string): string {
  return `SELECT e.*, c.candidate, c.place, (
      SELECT min(x.created_at) FROM eval_preference x
      WHERE x.workspace_id = $1 AND x.run_id = e.id AND x.candidate_index = c.place AND x.blind
    ) AS compared_at
    FROM eval_run e CROSS JOIN LATERAL (
      SELECT named.candidate, named.place::int FROM unnest(e.candidate_models) WITH ORDINALITY AS named(candidate, place)
      WHERE ${isSameModel('named.candidate', candidate)}
      ORDER BY named.candidate <> ${candidate}, named.place LIMIT 1
    ) c
    WHERE e.workspace_id = $1 AND ${isSameModel('e.baseline_model', baseline)}`
}

/** An eval that was cancelled or failed after a sample had finished counts as an attempt: its results could be read. */
const isAttempt = `(o.finished_at IS NULL OR EXISTS (
  SELECT 1 FROM eval_sample s WHERE s.workspace_id = $1 AND s.run_id = o.id AND s.outcomes IS NOT NULL))`

/** SQL: the attempt of an eval `p` of the common table `pair`, and that of its comparison by people. */
const attemptsOfP = `
  1 + (SELECT count(*) FROM pair o
      WHERE (o.created_at, o.id) < (p.created_at, p.id) AND o.created_at >= p.created_at - interval '30 days' AND ${isAttempt})::int
    + (SELECT count(*) FROM pair o
      WHERE o.compared_at < p.created_at AND o.compared_at >= p.created_at - interval '30 days')::int AS attempt,
  CASE WHEN p.compared_at IS NOT NULL THEN
    1 + (SELECT count(*) FROM pair o
      WHERE o.created_at <= p.compared_at AND o.created_at >= p.compared_at - interval '30 days' AND ${isAttempt})::int
    + (SELECT count(*) FROM pair o
      WHERE (o.compared_at, o.id) < (p.compared_at, p.id) AND o.compared_at >= p.compared_at - interval '30 days')::int
  END AS "peopleAttempt"`

const statement = `
  WITH pair AS (${evalsOfPair('$3::text', '$4::text')})
  SELECT p.id, p.request, p.judge, p.report, p.finished_at, p.candidate, p.place, ${attemptsOfP}
  FROM pair p
  WHERE p.status = 'DONE' AND p.finished_at >= $2
  ORDER BY p.finished_at DESC, p.id DESC LIMIT 50`

const attemptsStatement = `
  SELECT own.candidate, own.place::int - 1 AS place, found.attempt, found."peopleAttempt"
  FROM eval_run r
    CROSS JOIN LATERAL unnest(r.candidate_models) WITH ORDINALITY AS own(candidate, place)
    CROSS JOIN LATERAL (
      WITH pair AS (${evalsOfPair('r.baseline_model', 'own.candidate')})
      SELECT ${attemptsOfP} FROM pair p WHERE p.id = r.id
    ) found
  WHERE r.workspace_id = $1 AND r.id = $2 AND r.status = 'DONE'
  ORDER BY own.place`

const comparedStatement = `
  SELECT DISTINCT ON (p.sample_id, p.candidate_index) p.*, s.position, s.repetition
  FROM eval_preference p JOIN eval_sample s ON s.id = p.sample_id
  WHERE p.workspace_id = $1 AND p.run_id = $2 AND p.blind
  ORDER BY p.sample_id, p.candidate_index, p.created_at, p.id`

/**
 * A comparison is one candidate of an earlier eval, by its judge or by people. Repetitions of a prompt in one eval are one use.
 * Preferences are counted once for each earlier eval, not for each of its prompts.
 */
const promptUsesStatement = `
  WITH own AS (
    SELECT DISTINCT s.prompt_hash FROM eval_sample s
    WHERE s.workspace_id = $1 AND s.run_id = $2 AND s.prompt_hash IS NOT NULL
  ), used AS MATERIALIZED (
    SELECT each.run_id, count(*) AS prompts FROM (
      SELECT DISTINCT s.prompt_hash, s.run_id FROM own JOIN eval_sample s
        ON s.workspace_id = $1 AND s.prompt_hash = own.prompt_hash AND s.outcomes IS NOT NULL
    ) each GROUP BY each.run_id
  )
  SELECT coalesce(sum(used.prompts * (cardinality(o.candidate_models) + (
    SELECT count(DISTINCT x.candidate_index) FROM eval_preference x
    WHERE x.workspace_id = $1 AND x.run_id = o.id AND x.blind AND x.created_at < r.created_at
  )))::float8 / (SELECT count(*) FROM own), 0) AS uses
  FROM used
    JOIN eval_run r ON r.workspace_id = $1 AND r.id = $2
    JOIN eval_run o ON o.workspace_id = $1 AND o.id = used.run_id AND (o.created_at, o.id) < (r.created_at, r.id)`
