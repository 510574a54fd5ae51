import { randomUUID } from 'node:crypto'
import type { Verdict } from '@ratchet/contracts/criteria'
import { createPgCalibrations } from '../calibration/pg-calibrations.ts'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import { createPgJudgements } from '../judgements/pg-judgements.ts'
import { plannedFor } from '../runs/judged-work.fixture.ts'
import { nothingFound } from './drift.fixture.ts'
import { type DriftDatabase, driftDatabase, noonBefore } from './drift-database.fixture.ts'
import type { ExaminedCriterion } from './drift-store.ts'
import { startOfDay, utcDay } from './find-rise.ts'

let database: DriftDatabase
const calibrated: DriftDatabase['calibrated'] = (more) => database.calibrated(more)
const now = new Date()
const today = utcDay(now)
const noon = noonBefore(today)

beforeAll(async () => {
  database = await driftDatabase(now)
})
afterAll(() => database.drop())

const fail = { verdict: 'fail' } as const

describe('live verdicts', () => {
  it('are counted by complete day, once, and remain when they are deleted', async () => {
    const judge = await calibrated()
    await database.judged(judge, { at: noon(2) })
    await database.judged(judge, { at: noon(2), outcome: fail })
    await database.judged(judge, { at: noon(1), planned: { isCanary: true }, outcome: fail })
    await database.judged(judge, { at: noon(1), planned: { source: 'gate' }, outcome: fail })
    await database.judged(judge, { at: noon(1), outcome: { verdict: null, failure: 'unparseable' } })
    await database.judged(judge, { at: noon(0), outcome: fail })
    await database.drift.recordDays(judge, today)
    await database.drift.recordDays(judge, today)
    const days = [{ day: today - 2, trials: 2, hits: 1 }]
    expect((await database.drift.live(judge)).days).toEqual(days)
    await database.operator.query('DELETE FROM judgement WHERE criterion_id = $1', [judge.id])
    await database.drift.recordDays(judge, today + 1)
    expect((await database.drift.live(judge)).days).toEqual(days)
  })

  it('of the day that has ended are added', async () => {
    const judge = await calibrated()
    await database.judged(judge, { at: noon(1) })
    await database.drift.recordDays(judge, today)
    await database.judged(judge, { at: noon(0), outcome: fail })
    await database.drift.recordDays(judge, today + 1)
    expect((await database.drift.live(judge)).days).toEqual([
      { day: today - 1, trials: 1, hits: 0 },
      { day: today, trials: 1, hits: 1 },
    ])
  })

  it('of another instrument do not count, and the model is that of the latest since the calibration', async () => {
    const judge = await calibrated()
    await database.judged(judge, { at: noon(30), outcome: { judgeModelResolved: 'sim/older' } })
    expect((await database.drift.live(judge)).judgeModel).toBeNull()
    await database.judged(judge, { at: noon(1), outcome: { judgeModelResolved: 'sim/newer' } })
    await database.drift.recordDays(judge, today)
    await database.drift.recordDays({ ...judge, instrument: 2 }, today)
    expect(await database.drift.live(judge)).toMatchObject({ days: [], judgeModel: 'sim/newer' })
    expect((await database.drift.live({ ...judge, instrument: 2 })).days).toEqual([])
  })
})

describe('what a monitor has judged', () => {
  const monitored = async ({ id }: ExaminedCriterion) =>
    (await createPgCalibrations(database.pool).monitored([id], now)).get(id)
  const addDays = ({ id }: ExaminedCriterion, days: readonly (readonly [daysAgo: number, judged: number])[]) =>
    database.operator.query(
      `INSERT INTO drift_day (criterion_id, instrument, day, judged, judged_fails)
        SELECT $1, 1, day, judged, judged / 10 FROM unnest($2::timestamptz[], $3::int[]) AS t (day, judged)`,
      [id, days.map(([daysAgo]) => startOfDay(today - daysAgo)), days.map(([, judged]) => judged)],
    )

  it('is what a drop would be compared with, and the mean of the last seven days', async () => {
    const judge = await calibrated({ onlineEnabled: true })
    await addDays(judge, [
      [1, 70],
      [7, 70],
      [8, 100],
      [56, 200],
      [57, 900],
    ])
    expect(await monitored(judge)).toEqual({ before: { trials: 440, hits: 44 }, verdictsPerDay: 20 })
    await database.operator.query('UPDATE criterion SET drift_reference_from = $2 WHERE id = $1', [judge.id, noon(9)])
    expect((await monitored(judge))?.before.trials).toBe(240)
  })

  it('is nothing while the monitor is off, and before its first complete day', async () => {
    const [off, fresh] = [await calibrated({ onlineEnabled: false }), await calibrated({ onlineEnabled: true })]
    await addDays(off, [[1, 70]])
    expect([await monitored(off), await monitored(fresh)]).toEqual([undefined, undefined])
  })
})

describe('the panel', () => {
  const time = { today, usedSince: noon(7), evalsSince: noon(30) }

  it('counts wrong verdicts by complete day and class, of runs of the panel of this calibration', async () => {
    const judge = await calibrated()
    const { calibrationId } = judge
    const panel = await database.addRun(judge, { request: { calibrationId, rows: 'panel' }, createdAt: noon(1) })
    const dropped = await database.addRun(judge, { request: { calibrationId, rows: 'drop', drop: null } })
    const other = await database.addRun(judge, { request: { calibrationId: randomUUID(), rows: 'panel' } })
    const again = (runId: string, human: Verdict) => ({ source: 'drift_replay', runId, human }) as const
    await database.judged(judge, { at: noon(1), planned: again(panel.id, 'fail') })
    await database.judged(judge, { at: noon(1), planned: again(panel.id, 'fail'), outcome: fail })
    await database.judged(judge, { at: noon(1), planned: again(panel.id, 'pass') })
    await database.judged(judge, { at: noon(0), planned: again(panel.id, 'pass'), outcome: fail })
    await database.judged(judge, { at: noon(1), planned: again(dropped.id, 'pass'), outcome: fail })
    await database.judged(judge, { at: noon(1), planned: again(other.id, 'pass'), outcome: fail })
    const found = await database.drift.panel(judge, time)
    expect(found.days.fail).toMatchObject([{ day: today - 1, trials: 2, hits: 1 }])
    expect(found.days.pass).toMatchObject([{ day: today - 1, trials: 1, hits: 0 }])
    expect(found).toMatchObject({ lastAt: noon(1), isOpen: true, isJudgeUsed: false })
  })

  it('is used while the monitor or a gate judges', async () => {
    const judge = await calibrated()
    await database.judged(judge, { at: noon(8) })
    await database.judged(judge, { at: noon(1), planned: { source: 'scan' } })
    expect(await database.drift.panel(judge, time)).toMatchObject({ lastAt: null, isOpen: false, isJudgeUsed: false })
    await database.judged(judge, { at: noon(1), planned: { source: 'shadow' } })
    expect(await database.drift.panel(judge, time)).toMatchObject({ isJudgeUsed: true })
  })

  it('is used while an eval with this judge may be evidence', async () => {
    const [judge, other] = [await calibrated(), await calibrated()]
    const isUsed = async (of = judge) => (await database.drift.panel(of, time)).isJudgeUsed
    await createPgCriteria(database.pool).noteEval(judge, noon(31))
    expect(await isUsed()).toBe(false)
    await createPgCriteria(database.pool).noteEval(judge, noon(29))
    expect([await isUsed(), await isUsed(other)]).toEqual([true, false])
    await database.judged(other, { at: noon(1) })
    const found = await Promise.all([judge, other].map((each) => database.drift.panel(each, time)))
    expect(found).toMatchObject([
      { isJudgeUsed: true, isOfEvals: true },
      { isJudgeUsed: true, isOfEvals: false },
    ])
  })

  it('is paid under the weekly cap, and its cost is shown', async () => {
    const judge = await calibrated({ onlineCapNano: 10n })
    await database.judged(judge, { at: now, planned: { source: 'drift_replay' }, outcome: { costNano: 9n } })
    expect(await database.drift.panel(judge, time)).toMatchObject({ isOverCap: false })
    await database.judged(judge, { at: now, outcome: { costNano: 1n } })
    expect(await database.drift.panel(judge, time)).toMatchObject({ isOverCap: true })
    const calibrations = createPgCalibrations(database.pool)
    expect(await calibrations.onlineSpent([judge.id], startOfDay(today))).toEqual(new Map([[judge.id, 10n]]))
    expect(await calibrations.panelSpent([judge.id], startOfDay(today))).toEqual(new Map([[judge.id, 9n]]))
    const planned = plannedFor(judge, { source: 'drift_replay', runId: (await database.addRun(judge, {})).id })
    await createPgJudgements(database.pool).plan([planned])
    const lease = await createPgJudgements(database.pool).lease(planned.id, 60_000)
    expect(lease).toMatchObject({ isRequested: true, spendCap: { id: judge.id, capNano: 10n } })
  })

  it('is not judged when the judge was retired meanwhile', async () => {
    const judge = await calibrated()
    const planned = plannedFor(judge, { source: 'drift_replay', runId: (await database.addRun(judge, {})).id })
    await createPgJudgements(database.pool).plan([planned])
    await createPgCriteria(database.pool).update(judge, () => ({ patch: { status: 'retired' }, voids: null }), now)
    expect(await createPgJudgements(database.pool).lease(planned.id, 60_000)).toMatchObject({ isRequested: false })
  })
})

describe('a finding', () => {
  const dropFound = {
    ...nothingFound,
    signal: 'quality_drop',
    reason: 'It dropped.',
    referenceUntil: startOfDay(today - 7),
    flaggedAt: now,
  } as const
  const save = (judge: ExaminedCriterion, finding: typeof dropFound | typeof nothingFound) =>
    database.drift.save(judge, { finding, notice: null, at: now })

  it('is read by the next sweep, with the accuracy of the calibration', async () => {
    const judge = await calibrated()
    await save(judge, dropFound)
    expect(await database.read(judge)).toMatchObject({
      driftSignal: 'quality_drop',
      driftCause: null,
      driftCheckedAt: now,
      referenceFrom: null,
      referenceUntil: startOfDay(today - 7),
      flaggedAt: now,
      accuracy: { truePositives: 48, humanFails: 50, trueNegatives: 97, humanPasses: 100 },
    })
  })

  it('gets its cause once, which a sweep that had not read it leaves there', async () => {
    const judge = await calibrated()
    await save(judge, dropFound)
    await database.drift.explain(judge, { cause: 'traffic', sentence: 'So it is.' })
    await database.drift.explain(judge, { cause: 'traffic', sentence: 'So it is.' })
    await save(judge, dropFound)
    expect(await database.read(judge)).toMatchObject({ driftCause: 'traffic', driftReason: 'It dropped. So it is.' })
    await save(judge, nothingFound)
    expect(await database.read(judge)).toMatchObject({ driftCause: null, driftReason: null, flaggedAt: null })
  })

  it.each([
    ['judge', now],
    [null, null],
  ] as const)('that is cleared by a calibration begins a new reference if its cause is %j', async (cause, from) => {
    const judge = await calibrated()
    const stale = { ...nothingFound, signal: 'stale', cause, reason: 'So.', flaggedAt: now } as const
    await database.drift.save(judge, { finding: stale, notice: null, at: now })
    await createPgCriteria(database.pool).clearStale(judge, now)
    expect(await database.read(judge)).toMatchObject({
      driftSignal: null,
      driftCause: null,
      flaggedAt: null,
      referenceFrom: from,
    })
  })
})
