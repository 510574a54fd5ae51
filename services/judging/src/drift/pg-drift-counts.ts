import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import { weeklySources } from '../runs/weekly-sources.ts'
import type { LiveTraffic } from './check-drift.ts'
import type { ExaminedCriterion, JudgedPanel, PanelTime } from './drift-store.ts'
import { type DayCount, startOfDay } from './find-rise.ts'

type Judge = Pick<ExaminedCriterion, 'id' | 'instrument'>

/** Days of live verdicts that a judge begins with, and days after which its counts are deleted. */
const daysAtStart = 84
const daysStored = 120

export async function recordDays(pool: Pool, { id, instrument }: Judge, today: number): Promise<void> {
  const days = [today, today - daysAtStart, today - daysStored].map(startOfDay)
  await pool.query(recordStatement, [id, instrument, ...days])
}

/** Answers of canaries do not count: a bad canary must not flag its judge. */
const recordStatement = `
  WITH outdated AS (DELETE FROM drift_day WHERE criterion_id = $1 AND (day < $5 OR instrument < $2))
  INSERT INTO drift_day (criterion_id, instrument, day, judged, judged_fails)
  SELECT criterion_id, instrument, date_trunc('day', judged_at, 'UTC'), count(*), count(*) FILTER (WHERE verdict = 'fail')
  FROM judgement
  WHERE criterion_id = $1 AND instrument = $2 AND source = 'online' AND state = 'done' AND verdict IS NOT NULL
    AND NOT canary AND judged_at < $3 AND judged_at >= coalesce(
      (SELECT max(day) + interval '1 day' FROM drift_day WHERE criterion_id = $1 AND instrument = $2), $4)
  GROUP BY 1, 2, 3 ON CONFLICT DO NOTHING`

interface LatestRow {
  readonly judge_model_resolved: string | null
  readonly judge_fingerprint: string | null
}

export async function readLive(
  pool: Pool,
  { id, instrument, alignedAt }: Judge & Pick<ExaminedCriterion, 'alignedAt'>,
): Promise<LiveTraffic> {
  const { rows: days } = await pool.query<DayCount>(daysStatement, [id, instrument])
  const { rows } = await pool.query<LatestRow>(latestStatement, [id, instrument, alignedAt])
  return { days, judgeModel: rows[0]?.judge_model_resolved ?? null, fingerprint: rows[0]?.judge_fingerprint ?? null }
}

/** The number of a day, as `utcDay` gives it. */
const dayNumber = (moment: string) => `floor(extract(epoch FROM ${moment}) / 86400)::int`

const daysStatement = `
  SELECT ${dayNumber('day')} AS day, judged AS trials, judged_fails AS hits
  FROM drift_day WHERE criterion_id = $1 AND instrument = $2 ORDER BY day`

/** The latest verdict of any kind since the calibration, answers of canaries included. */
const latestStatement = `
  SELECT judge_model_resolved, judge_fingerprint FROM judgement
  WHERE criterion_id = $1 AND instrument = $2 AND source = 'online' AND state = 'done' AND verdict IS NOT NULL
    AND judged_at >= $3
  ORDER BY judged_at DESC, id DESC LIMIT 1`

interface PanelDayRow extends DayCount {
  readonly human: Verdict
}

type PanelStateRow = Omit<JudgedPanel, 'days'>

export async function readPanel(
  pool: Pool,
  { id, calibrationId }: Pick<ExaminedCriterion, 'id' | 'calibrationId'>,
  { today, usedSince, evalsSince }: PanelTime,
): Promise<JudgedPanel> {
  const counted = await pool.query<PanelDayRow>(panelStatement, [id, calibrationId, startOfDay(today)])
  const { rows } = await pool.query<PanelStateRow>(panelStateStatement, [id, calibrationId, usedSince, evalsSince])
  const [state = { lastAt: null, isOpen: false, isJudgeUsed: false, isOfEvals: false, isOverCap: false }] = rows
  const daysOf = (human: Verdict) => counted.rows.filter((row) => row.human === human)
  return { ...state, days: { fail: daysOf('fail'), pass: daysOf('pass') } }
}

const panelRuns = `judge_run r WHERE r.criterion_id = $1 AND r.kind = 'drift_replay'`
const ofCalibration = `r.request::jsonb ->> 'calibrationId' = $2 AND r.request::jsonb ->> 'rows' = 'panel'`

const panelStatement = `
  SELECT ${dayNumber('j.judged_at')} AS day, j.human, count(*)::int AS trials,
    (count(*) FILTER (WHERE j.verdict <> j.human))::int AS hits
  FROM judgement j
  WHERE j.run_id IN (SELECT r.id FROM ${panelRuns} AND ${ofCalibration})
    AND j.state = 'done' AND j.verdict IS NOT NULL AND j.human IS NOT NULL AND j.judged_at < $3
  GROUP BY 1, 2 ORDER BY 1`

const panelStateStatement = `
  SELECT (SELECT max(r.created_at) FROM ${panelRuns} AND ${ofCalibration}) AS "lastAt",
    EXISTS (SELECT 1 FROM ${panelRuns} AND r.status IN ('PENDING', 'RUNNING')) AS "isOpen",
    EXISTS (SELECT 1 FROM judgement j WHERE j.criterion_id = $1 AND j.state = 'done' AND j.judged_at >= $3
      AND j.source IN ('online', 'gate', 'shadow')) OR coalesce(c.eval_used_at >= $4, false) AS "isJudgeUsed",
    coalesce(c.eval_used_at >= $4, false) AS "isOfEvals",
    c.online_cap_nano > 0 AND c.online_cap_nano <=
      CASE WHEN c.forgotten_week = week.start THEN c.forgotten_nano ELSE 0 END + (
        SELECT coalesce(sum(j.cost_nano), 0) FROM judgement j WHERE j.criterion_id = $1 AND j.state = 'done'
          AND j.source IN ${weeklySources} AND j.judged_at >= week.start) AS "isOverCap"
  FROM criterion c, (SELECT date_trunc('week', now(), 'UTC') AS start) AS week WHERE c.id = $1`
