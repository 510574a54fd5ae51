import { maxMetrics, type TrainerEvent } from '@ratchet/contracts/trainer-protocol'
import type { PoolClient } from '@ratchet/db/connect-pool'
import { storableText } from '@ratchet/service-kit/values/storable-text'
import type { AttemptEvents } from './attempt.ts'
import type { AttemptId } from './job-token.ts'

/** Stores the events of an attempt that are new. The row of the attempt is locked, so that a repeated call waits. */
export async function addEvents(
  client: PoolClient,
  { jobId, generation }: AttemptId,
  { fromSeq, items, idOf }: AttemptEvents,
): Promise<number | null> {
  const { rows } = await client.query<LockedRow>(lockStatement, [jobId, generation])
  const [attempt] = rows
  if (attempt === undefined) return null
  const first = attempt.event_seq + 1
  const fresh = items.map((item, index) => ({ item, seq: fromSeq + index, id: idOf(index) })).slice(first - fromSeq)
  if (fromSeq > first || fresh.length === 0) return first
  const next = fromSeq + items.length
  const isFull = attempt.shown >= maxJobEvents
  const room = Math.max(0, maxJobEvents - attempt.shown)
  const events = fresh.filter(({ item }) => item.type !== 'log').map(({ item, seq, id }) => eventOf(item, seq, id))
  const shown = events.length <= room ? events : [...events.slice(0, room), ...(isFull ? [] : noteOf(events[room]))]
  await client.query(numberStatement, [jobId, generation, next - 1])
  if (shown.length > 0) {
    await client.query(insertStatement, [jobId, generation, attempt.workspace_id, JSON.stringify(shown.map(numbered))])
  }
  const metrics = metricsOf(fresh.map(({ item }) => item)).filter(({ step }) => step <= attempt.total_steps)
  if (metrics.length > 0) await client.query(metricsStatement, [jobId, attempt.workspace_id, JSON.stringify(metrics)])
  return next
}

interface LockedRow {
  readonly workspace_id: string
  readonly event_seq: number
  /** Events of the job until now. */
  readonly shown: number
  readonly total_steps: number
}

/** Events of a job, after which those of trainers are not stored. Its metrics are stored for each step anyway. */
const maxJobEvents = 10_000

const lockStatement = `
  SELECT a.workspace_id, a.event_seq, j.event_seq AS shown, j.total_steps
  FROM training_attempt a JOIN training_job j ON j.id = a.job_id
  WHERE a.job_id = $1 AND a.generation = $2 AND a.ended_at IS NULL FOR UPDATE OF a`

const numberStatement = `
  UPDATE training_attempt a SET event_seq = $3 WHERE a.job_id = $1 AND a.generation = $2`

/** Events are numbered by job, whoever made them; the row of the job orders them. */
const insertStatement = `
  WITH added AS (
    SELECT * FROM jsonb_to_recordset($4::jsonb)
      AS e(place int, id uuid, level text, type text, message text, data text, seq int)
  ), numbered AS (
    UPDATE training_job j SET event_seq = j.event_seq + (SELECT count(*) FROM added)::int
    WHERE j.id = $1 AND j.workspace_id = $3 RETURNING j.event_seq - (SELECT count(*) FROM added)::int AS before
  )
  INSERT INTO training_event (job_id, seq, id, workspace_id, level, type, message, data, attempt, attempt_seq, created_at)
  SELECT $1, numbered.before + added.place, added.id, $3, added.level, added.type, added.message, added.data, $2, added.seq, now()
  FROM added, numbered`

/**
 * A step may report several times, such as its loss and later that of a validation. What would give it too many names is not
 * stored, so that no step grows without end.
 */
const metricsStatement = `
  INSERT INTO training_metric AS m (job_id, step, workspace_id, at, values)
  SELECT $1, e.step, $2, now(), e.values FROM jsonb_to_recordset($3::jsonb) AS e(step int, values text)
  ON CONFLICT (job_id, step) DO UPDATE SET at = EXCLUDED.at, values = (m.values::jsonb || EXCLUDED.values::jsonb)::text
  WHERE (SELECT count(*) FROM jsonb_object_keys(m.values::jsonb || EXCLUDED.values::jsonb)) <= ${maxMetrics}`

const numbered = <T extends object>(event: T, index: number) => ({ ...event, place: index + 1 })

const maxDataLength = 16_000

function eventOf(item: TrainerEvent, seq: number, id: string) {
  if (item.type === 'metrics') {
    const data = JSON.stringify({ step: item.step, ...item.values })
    return { id, seq, level: 'info', type: 'metrics', message: messageOf(item), data }
  }
  if (item.type === 'log') throw new Error('log lines are no events')
  const message = storableText(item.message, 2_000)
  return { id, seq, level: item.level, type: 'message', message, data: dataText(item.data) }
}

/** In place of the first event that is not stored. */
function noteOf(event: ReturnType<typeof eventOf> | undefined) {
  const message = `The job has ${maxJobEvents} events. Further ones of its trainer are not shown.`
  return event === undefined ? [] : [{ ...event, level: 'warn', type: 'message', message, data: null }]
}

/** Null when it is too long, or has more levels than can be written. */
function dataText(data: object): string | null {
  try {
    const text = JSON.stringify(data)
    return text.length > maxDataLength ? null : text
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function messageOf({ step, values }: Extract<TrainerEvent, { type: 'metrics' }>): string {
  const { train_loss: trainLoss, valid_loss: validLoss } = values
  const loss = trainLoss ?? validLoss
  return loss == null ? `Step ${step}` : `Step ${step}: loss ${loss.toPrecision(4)}`
}

/** One row for each step: a statement cannot change a row twice. */
function metricsOf(items: readonly TrainerEvent[]): { step: number; values: string }[] {
  const bySteps = new Map<number, Record<string, number | null>>()
  for (const item of items) {
    if (item.type !== 'metrics') continue
    const merged = { ...bySteps.get(item.step), ...item.values }
    if (Object.keys(merged).length <= maxMetrics) bySteps.set(item.step, merged)
  }
  return [...bySteps].map(([step, values]) => ({ step, values: JSON.stringify(values) }))
}
