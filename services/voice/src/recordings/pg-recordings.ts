import type { Pool } from '@ratchet/db/connect-pool'
import type { RecordingStore } from './recording.ts'

/** Recordings in Postgres, beside the texts of calls, so that they are erased, kept and counted with them. */
export function createPgRecordings(pool: Pool): RecordingStore {
  return {
    async write({ workspaceId, id, generation }, { atMs, sampleRate, samples, sealed }) {
      const values = [workspaceId, id, generation, Math.round(atMs), sampleRate, samples, sealed]
      return (await pool.query(writeStatement, values)).rowCount === 1
    },
    async info({ workspaceId, id }) {
      const { rows } = await pool.query<InfoRow>(infoStatement, [workspaceId, id])
      const [row] = rows
      if (row === undefined || row.sample_rate === null) return null
      return { sampleRate: row.sample_rate, samples: row.samples, isPartial: row.is_partial }
    },
    async chunks({ workspaceId, id }) {
      const { rows } = await pool.query<ChunkRow>(chunksStatement, [workspaceId, id])
      return rows.map(({ number, from_sample: fromSample, samples }) => ({ number, fromSample, samples }))
    },
    async read({ workspaceId, id }, number) {
      const { rows } = await pool.query<{ sealed: Buffer }>(readStatement, [workspaceId, id, number])
      return rows[0]?.sealed ?? null
    },
  }
}

/** Only the worker that holds the call numbers its chunks. */
const writeStatement = `
  INSERT INTO call_recording_chunk (call_id, workspace_id, "number", at_ms, sample_rate, samples, sealed)
  SELECT k.id, k.workspace_id, COALESCE((SELECT max(c."number") + 1 FROM call_recording_chunk c
      WHERE c.call_id = k.id AND c.workspace_id = k.workspace_id), 0), $4, $5, $6, $7
  FROM call k WHERE k.workspace_id = $1 AND k.id = $2 AND k.generation = $3 AND k.ended_at IS NULL`

/** Missing is what the time of the call has more than the chunks, beyond what times are rounded by. */
const infoStatement = `
  SELECT min(sample_rate) AS sample_rate, COALESCE(sum(samples), 0)::int AS samples,
    COALESCE(max(at_ms + samples * 1000 / sample_rate) - min(at_ms) > sum(samples * 1000 / sample_rate) + 1500, false)
      AS is_partial
  FROM call_recording_chunk WHERE workspace_id = $1 AND call_id = $2`

const chunksStatement = `
  SELECT "number", samples, (sum(samples) OVER (ORDER BY "number") - samples)::int AS from_sample
  FROM call_recording_chunk WHERE workspace_id = $1 AND call_id = $2 ORDER BY "number"`

const readStatement = `
  SELECT sealed FROM call_recording_chunk WHERE workspace_id = $1 AND call_id = $2 AND "number" = $3`

interface InfoRow {
  readonly sample_rate: number | null
  readonly samples: number
  readonly is_partial: boolean
}

interface ChunkRow {
  readonly number: number
  readonly samples: number
  readonly from_sample: number
}
