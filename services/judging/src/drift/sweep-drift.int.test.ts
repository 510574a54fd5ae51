import { randomUUID } from 'node:crypto'
import type { Verdict } from '@ratchet/contracts/criteria'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { createPgJudgements } from '../judgements/pg-judgements.ts'
import { processJudgement } from '../judgements/process-judgement.ts'
import { advanceRun, type RunHandler } from '../runs/advance-run.ts'
import { answered } from '../runs/judge-all.fixture.ts'
import { createNotifyJudges, withDriftNotices } from '../runs/notify-judges.ts'
import { createPgRuns } from '../runs/pg-runs.ts'
import { type DriftDatabase, driftDatabase, noonBefore } from './drift-database.fixture.ts'
import { createDriftReplayRunHandler } from './drift-replay-run.ts'
import { driftRule } from './drift-rule.ts'
import type { ExaminedCriterion } from './drift-store.ts'
import { utcDay } from './find-rise.ts'
import { sweepDrift } from './sweep-drift.ts'

let database: DriftDatabase
const today = utcDay(new Date())
const noon = noonBefore(today)
/** At the same time of the day whenever the test runs. */
const now = noon(0)

beforeAll(async () => {
  database = await driftDatabase(now)
})
afterAll(() => database.drop())
beforeEach(() => database.operator.query('DELETE FROM criterion'))

const isFailing = (index: number) => index % 3 === 0

/** A judge that had all 60 rows of its calibration right. */
async function calibratedJudge(): Promise<ExaminedCriterion> {
  const judge = await database.calibrated()
  for (let index = 0; index < 60; index += 1) {
    const human = isFailing(index) ? 'fail' : 'pass'
    const item = { kind: 'snapshot', snapshotId: randomUUID() } as const
    const planned = { source: 'calibration', runId: judge.calibrationId, labelId: randomUUID(), human, item } as const
    await database.judged(judge, { at: noon(20), planned, outcome: { verdict: human } })
  }
  return judge
}

/** 60 verdicts of the monitor on a day, of which one in `failsOneIn` fails. */
async function live({ id, workspaceId }: ExaminedCriterion, daysAgo: number, failsOneIn: number): Promise<void> {
  await database.operator.query(
    `INSERT INTO judgement (id, workspace_id, criterion_id, source, instrument, log_id, created_at, state, verdict, judged_at)
     SELECT gen_random_uuid(), $1, $2, 'online', 1, gen_random_uuid(), $3, 'done',
       CASE WHEN each % $4 = 0 THEN 'fail'::verdict ELSE 'pass' END, $3 FROM generate_series(1, 60) AS each`,
    [workspaceId, id, noon(daysAgo), failsOneIn],
  )
}

const notified: string[] = []

/** Sweeps, then judges what the sweep planned. @param verdictOn of the judge as it is now */
async function sweep(at: Date, verdictOn: (human: Verdict) => Verdict): Promise<void> {
  const { pool, drift } = database
  const runs = createPgRuns(pool)
  const judgements = createPgJudgements(pool)
  const enqueued: string[] = []
  const failed = (_id: string, cause: unknown) => {
    throw cause
  }
  const notifyJudges = createNotifyJudges(
    async (workspaceId, { topic }) => void notified.push(`${workspaceId} ${topic}`),
    () => at,
  )
  await sweepDrift({
    drift: withDriftNotices(drift, notifyJudges),
    runs,
    rule: { ...driftRule, staleDays: 30 },
    now: () => at,
    newId: randomUUID,
    enqueueRuns: async (ids) => void enqueued.push(...ids),
    onFailure: failed,
  })
  const unused: RunHandler = () => Promise.reject(new Error('not of this test'))
  const others = { calibration: unused, scan: unused, suggestion: unused, improvement: unused, round: unused }
  const ofCascades = { cascade_calibration: unused, cascade_scan: unused }
  const runHandlers = {
    ...others,
    ...ofCascades,
    drift_replay: createDriftReplayRunHandler({ drift, judgements, now: () => at }),
  }
  const judge = async ({ human }: { readonly human: Verdict | null }) =>
    answered({ verdict: verdictOn(human ?? 'pass') })
  const onEvent = () => undefined
  const onDone = async () => undefined
  const step = () =>
    Promise.all(
      enqueued.map((id) =>
        advanceRun(
          { runs, judgements, runHandlers, now: () => at, enqueueJudgements: onDone, onStep: onEvent, onEvent },
          id,
        ),
      ),
    )
  await step()
  for (const id of await judgements.overdue(1_000)) {
    await processJudgement({ judgements, judge, now: () => at, onDone, onEvent }, id)
  }
  await step()
}

const right = (human: Verdict) => human

it('flags a drop, and finds that the traffic caused it', async () => {
  const judge = await calibratedJudge()
  for (const day of [14, 13, 12, 11]) await live(judge, day, 10)
  for (const day of [2, 1]) await live(judge, day, 2)
  await sweep(now, right)
  expect(await database.read(judge)).toMatchObject({ driftSignal: 'quality_drop', driftCause: 'traffic' })
  expect(notified).toContain(`${judge.workspaceId} judges`)
})

it('flags a drop, and finds that the judge caused it', async () => {
  const judge = await calibratedJudge()
  for (const day of [14, 13, 12, 11]) await live(judge, day, 10)
  for (const day of [2, 1]) await live(judge, day, 2)
  let count = 0
  await sweep(now, (human) => {
    count += 1
    return count % 2 === 0 ? 'fail' : human
  })
  expect(await database.read(judge)).toMatchObject({ driftSignal: 'quality_drop', driftCause: 'judge' })
})

it('flags a judge that passes what people fail, although its traffic looks better', async () => {
  const judge = await calibratedJudge()
  for (const day of [14, 13, 12, 11]) await live(judge, day, 10)
  for (const day of [2, 1, 0]) await live(judge, day, 60)
  const flags: unknown[] = []
  for (const day of [0, 1, 2]) {
    await sweep(new Date(now.getTime() + day * dayMs), () => 'pass')
    const { driftSignal, driftCause } = await database.read(judge)
    flags.push([driftSignal, driftCause])
  }
  expect(flags.at(0)).toEqual([null, null])
  expect(flags.at(-1)).toEqual(['stale', 'judge'])
})

it('finds nothing about a judge that stays as it was', async () => {
  const judge = await calibratedJudge()
  for (const day of [14, 13, 12, 11, 2, 1, 0]) await live(judge, day, 10)
  for (const day of [0, 1, 2]) await sweep(new Date(now.getTime() + day * dayMs), right)
  expect(await database.read(judge)).toMatchObject({ driftSignal: null })
  const panel = await database.drift.panel(judge, { today: today + 3, usedSince: noon(7), evalsSince: noon(30) })
  expect(panel.days.fail).toMatchObject([{ hits: 0 }, { hits: 0 }, { hits: 0 }])
})
