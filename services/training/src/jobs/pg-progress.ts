import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { storableText } from '@ratchet/service-kit/values/storable-text'
import type { JobCheckpoint, JobEvent, ProgressStore, StepMetrics } from './progress-store.ts'

/** Events, checkpoints and metrics of jobs in Postgres. */
export function createPgProgress(pool: Pool): ProgressStore {
  return {
    async eventsBefore({ workspaceId, jobId }, seq, limit) {
      const text = `SELECT * FROM training_event WHERE workspace_id = $1 AND job_id = $2 AND ($3::int IS NULL OR seq < $3)
        ORDER BY seq DESC LIMIT $4`
      const { rows } = await pool.query<EventRow>(text, [workspaceId, jobId, seq, limit])
      return rows.map(eventOf)
    },
    async eventsAfter({ workspaceId, jobId }, seq, limit) {
      const text = `SELECT * FROM training_event WHERE workspace_id = $1 AND job_id = $2 AND seq > $3 ORDER BY seq LIMIT $4`
      const { rows } = await pool.query<EventRow>(text, [workspaceId, jobId, seq, limit])
      return rows.map(eventOf)
    },
    async placeOf({ workspaceId, jobId }, eventId) {
      const text = 'SELECT seq FROM training_event WHERE workspace_id = $1 AND job_id = $2 AND id = $3'
      const { rows } = await pool.query<Pick<EventRow, 'seq'>>(text, [workspaceId, jobId, eventId])
      return rows[0]?.seq ?? null
    },
    async checkpoints({ workspaceId, jobId }, beforeStep, limit) {
      const text = `SELECT c.*, v.name AS version_name FROM checkpoint c
        LEFT JOIN model_version v ON v.id = c.id AND v.workspace_id = c.workspace_id
        WHERE c.workspace_id = $1 AND c.job_id = $2 AND c.servable AND c.durable_at IS NOT NULL
        AND ($3::int IS NULL OR c.step < $3) ORDER BY c.step DESC LIMIT $4`
      const { rows } = await pool.query<CheckpointRow>(text, [workspaceId, jobId, beforeStep, limit])
      return rows.map(checkpointOf)
    },
    async stepOf({ workspaceId, jobId }, checkpointId) {
      const text = 'SELECT step FROM checkpoint WHERE workspace_id = $1 AND job_id = $2 AND id = $3'
      const { rows } = await pool.query<Pick<CheckpointRow, 'step'>>(text, [workspaceId, jobId, checkpointId])
      return rows[0]?.step ?? null
    },
    async metrics({ workspaceId, jobId }, { fromStep, names, limit }) {
      const { rows } = await pool.query<MetricRow>(metricsStatement, [workspaceId, jobId, fromStep, names, limit])
      return rows.map(metricsOf)
    },
    async addEvent({ workspaceId, jobId }, { id, level, type, message, data, createdAt }) {
      const texts = [storableText(message, 2_000), data === null ? null : JSON.stringify(data)]
      await pool.query(addStatement, [workspaceId, jobId, id, level, type, ...texts, createdAt])
    },
  }
}

/** The update locks the job, so that events get their places one after the other. */
const addStatement = `
  WITH place AS (
    UPDATE training_job SET event_seq = event_seq + 1 WHERE workspace_id = $1 AND id = $2 RETURNING event_seq
  )
  INSERT INTO training_event (job_id, seq, id, workspace_id, level, type, message, data, created_at)
  SELECT $2, place.event_seq, $3, $1, $4, $5, $6, $7, $8 FROM place`

/** Of too many steps every second, third and so on, with the first and the last one. */
const metricsStatement = `
  WITH numbered AS (
    SELECT m.*, row_number() OVER (ORDER BY step) - 1 AS place, count(*) OVER () AS steps FROM training_metric m
    WHERE workspace_id = $1 AND job_id = $2 AND step >= $3 AND ($4::text[] IS NULL OR m.values::jsonb ?| $4)
  )
  SELECT * FROM numbered
  WHERE place % greatest(1, ceil((steps - 1) / ($5::int - 1)::numeric)::bigint) = 0 OR place = steps - 1 ORDER BY step`

type EventRow = Row<'trainingEvent'>
/** The checkpoints of earlier releases are no versions. */
type CheckpointRow = Row<'checkpoint'> & { readonly version_name: string | null }
type MetricRow = Row<'trainingMetric'>

function eventOf(row: EventRow): JobEvent {
  return {
    id: row.id,
    seq: row.seq,
    level: row.level as JobEvent['level'],
    type: row.type as JobEvent['type'],
    message: row.message,
    data: row.data === null ? null : (JSON.parse(row.data) as JobEvent['data']),
    createdAt: row.created_at,
  }
}

function checkpointOf(row: CheckpointRow): JobCheckpoint {
  return {
    id: row.id,
    step: row.step,
    metrics: JSON.parse(row.metrics) as JobCheckpoint['metrics'],
    trainedTokens: Number(row.trained_tokens),
    versionName: row.version_name,
    sha256: row.sha256,
    bytes: Number(row.bytes),
    durableAt: row.durable_at ?? row.begun_at,
  }
}

function metricsOf(row: MetricRow): StepMetrics {
  return { step: row.step, at: row.at, values: JSON.parse(row.values) as StepMetrics['values'] }
}
