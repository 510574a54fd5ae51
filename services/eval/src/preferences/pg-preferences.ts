import type { Preferred } from '@ratchet/contracts/eval-preferences'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { placeOfSample } from '../samples/sample-place.ts'
import type { Preference, PreferenceStore } from './preference.ts'

export function createPgPreferences(pool: Pool): PreferenceStore {
  return {
    async add({ id, workspaceId, runId, sampleId, candidateIndex, preferred, grader, isBlind, createdAt, ...by }) {
      const values = [id, workspaceId, runId, sampleId, candidateIndex, preferred, grader, isBlind, createdAt]
      return (await pool.query(addStatement, [...values, by.createdBy, by.keyId])).rowCount === 1
    },
    async list({ workspaceId, runId, limit, offset }) {
      const counted = await pool.query<{ total: number }>(countStatement, [workspaceId, runId])
      const { rows } = await pool.query<PreferenceRow>(listStatement, [workspaceId, runId, limit, offset])
      return { total: counted.rows[0]?.total ?? 0, preferences: rows.map(preferenceOf) }
    },
    async current({ workspaceId, runId }) {
      const { rows } = await pool.query<PreferenceRow & SamplePlace>(currentStatement, [workspaceId, runId])
      return rows.map((row) => ({
        place: placeOfSample(row),
        candidateIndex: row.candidate_index,
        preferred: row.preference,
        grader: row.grader,
      }))
    },
  }
}

type PreferenceRow = Row<'evalPreference', { preference: Preferred }>
type SamplePlace = Pick<Row<'evalSample'>, 'position' | 'repetition'>

const addStatement = `
  INSERT INTO eval_preference
    (id, workspace_id, run_id, sample_id, candidate_index, preference, grader, blind, created_at, created_by, key_id)
  SELECT $1, s.workspace_id, s.run_id, s.id, $5, $6, $7, $8, $9, $10, $11 FROM eval_sample s
  WHERE s.workspace_id = $2 AND s.run_id = $3 AND s.id = $4 AND s.state = 'done' AND s.failure IS NULL`

const countStatement = `SELECT count(*)::int AS total FROM eval_preference WHERE workspace_id = $1 AND run_id = $2`

const listStatement = `SELECT * FROM eval_preference WHERE workspace_id = $1 AND run_id = $2
  ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4`

const currentStatement = `
  SELECT DISTINCT ON (p.sample_id, p.candidate_index, p.grader) p.*, s.position, s.repetition
  FROM eval_preference p JOIN eval_sample s ON s.id = p.sample_id
  WHERE p.workspace_id = $1 AND p.run_id = $2
  ORDER BY p.sample_id, p.candidate_index, p.grader, p.created_at DESC, p.id DESC`

function preferenceOf(row: PreferenceRow): Preference {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    runId: row.run_id,
    sampleId: row.sample_id,
    candidateIndex: row.candidate_index,
    preferred: row.preference,
    grader: row.grader,
    isBlind: row.blind,
    createdBy: row.created_by,
    keyId: row.key_id,
    createdAt: row.created_at,
  }
}
