import { randomUUID } from 'node:crypto'
import type { Verdict } from '@ratchet/contracts/criteria'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { measureJudge } from '../calibration/measure-judge.ts'
import { createPgCalibrations } from '../calibration/pg-calibrations.ts'
import { confusionRows } from '../calibration/rows.fixture.ts'
import { storedCriterion } from '../criteria/criterion.fixture.ts'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import type { JudgementOutcome, PlannedJudgement } from '../judgements/judgement.ts'
import { createPgJudgements } from '../judgements/pg-judgements.ts'
import { type LabelDatabase, labelDatabase } from '../labels/label-database.fixture.ts'
import type { NewRun } from '../runs/judge-run.ts'
import { passed, plannedFor } from '../runs/judged-work.fixture.ts'
import { createPgRuns } from '../runs/pg-runs.ts'
import { nothingFound } from './drift.fixture.ts'
import type { ExaminedCriterion } from './drift-store.ts'
import { startOfDay, utcDay } from './find-rise.ts'
import { createPgDrift } from './pg-drift.ts'

let database: LabelDatabase
const now = new Date()
const today = utcDay(now)
const noon = (daysAgo: number) => new Date(startOfDay(today - daysAgo).getTime() + dayMs / 2)

beforeAll(async () => {
  database = await labelDatabase()
})
afterAll(() => database.drop())

const drift = () => createPgDrift(database.pool)

/** A judge with a finished calibration, as a sweep reads it. */
async function calibrated(more: Partial<StoredCriterion> = {}): Promise<ExaminedCriterion> {
  const criterion = storedCriterion({ id: randomUUID(), workspaceId: randomUUID(), ...more })
  await createPgCriteria(database.pool).create(criterion)
  const run = await addRun(criterion, { kind: 'calibration', createdAt: noon(20) })
  const result = { measures: measureJudge(confusionRows({ tp: 48, fn: 2, fp: 3, tn: 97 })) }
  await database.operator.query(
    `UPDATE judge_run SET status = 'DONE', finished_at = created_at, result = $2 WHERE id = $1`,
    [run.id, JSON.stringify(result)],
  )
  return read(criterion)
}

async function read({ id }: Pick<StoredCriterion, 'id'>): Promise<ExaminedCriterion> {
  const found = (await drift().examined()).find((each) => each.id === id)
  if (found === undefined) throw new Error('the judge is not examined')
  return found
}

function addRun(of: Pick<StoredCriterion, 'id' | 'workspaceId'>, more: Partial<NewRun>) {
  return createPgRuns(database.pool).create({
    id: randomUUID(),
    workspaceId: of.workspaceId,
    criterionId: of.id,
    kind: 'drift_replay',
    instrument: 1,
    judgeModel: 'sim/judge',
    promptSha256: 'x',
    request: {},
    maxCostNano: null,
    createdBy: of.workspaceId,
    createdAt: now,
    ...more,
  })
}

/** Stores a finished judgement. */
async function judged(
  of: Pick<StoredCriterion, 'id' | 'workspaceId'>,
  at: Date,
  planned: Partial<PlannedJudgement> = {},
  outcome: Partial<JudgementOutcome> = {},
): Promise<void> {
  const judgements = createPgJudgements(database.pool)
  const judgement = plannedFor(of, { source: 'online', ...planned })
  await judgements.plan([judgement])
  const lease = await judgements.lease(judgement.id, 60_000)
  if (lease === null) throw new Error('the judgement is not due')
  await judgements.complete(lease, { ...passed, ...outcome }, at)
}

const fail = { verdict: 'fail' as Verdict }

describe('live verdicts', () => {
  it('are counted by complete day, once, and remain when they are deleted', async () => {
    const judge = await calibrated()
    await judged(judge, noon(2))
    await judged(judge, noon(2), {}, fail)
    await judged(judge, noon(1), { isCanary: true }, fail)
    await judged(judge, noon(1), { source: 'gate' }, fail)
    await judged(judge, noon(1), {}, { verdict: null, failure: 'unparseable' })
    await judged(judge, noon(0), {}, fail)
    await drift().recordDays(judge, today)
    await drift().recordDays(judge, today)
    const days = [{ day: today - 2, trials: 2, hits: 1 }]
    expect((await drift().live(judge)).days).toEqual(days)
    await database.operator.query('DELETE FROM judgement WHERE criterion_id = $1', [judge.id])
    await drift().recordDays(judge, today + 1)
    expect((await drift().live(judge)).days).toEqual(days)
  })

  it('of the day that has ended are added', async () => {
    const judge = await calibrated()
    await judged(judge, noon(1))
    await drift().recordDays(judge, today)
    await judged(judge, noon(0), {}, fail)
    await drift().recordDays(judge, today + 1)
    expect((await drift().live(judge)).days).toEqual([
      { day: today - 1, trials: 1, hits: 0 },
      { day: today, trials: 1, hits: 1 },
    ])
  })

  it('of another instrument do not count, and the model is that of the latest since the calibration', async () => {
    const judge = await calibrated()
    await judged(judge, noon(30), {}, { judgeModelResolved: 'sim/older' })
    expect((await drift().live(judge)).judgeModel).toBeNull()
    await judged(judge, noon(1), {}, { judgeModelResolved: 'sim/newer' })
    await drift().recordDays(judge, today)
    await drift().recordDays({ ...judge, instrument: 2 }, today)
    expect(await drift().live(judge)).toMatchObject({ days: [], judgeModel: 'sim/newer' })
    expect((await drift().live({ ...judge, instrument: 2 })).days).toEqual([])
  })
})

describe('the panel', () => {
  const time = { today, usedSince: noon(7) }

  it('counts wrong verdicts by complete day and class, of runs of the panel of this calibration', async () => {
    const judge = await calibrated()
    const { calibrationId } = judge
    const panel = await addRun(judge, { request: { calibrationId, rows: 'panel' }, createdAt: noon(1) })
    const dropped = await addRun(judge, { request: { calibrationId, rows: 'drop', drop: null } })
    const other = await addRun(judge, { request: { calibrationId: randomUUID(), rows: 'panel' } })
    const again = (runId: string, human: Verdict) => ({ source: 'drift_replay', runId, human }) as const
    await judged(judge, noon(1), again(panel.id, 'fail'))
    await judged(judge, noon(1), again(panel.id, 'fail'), fail)
    await judged(judge, noon(1), again(panel.id, 'pass'))
    await judged(judge, noon(0), again(panel.id, 'pass'), fail)
    await judged(judge, noon(1), again(dropped.id, 'pass'), fail)
    await judged(judge, noon(1), again(other.id, 'pass'), fail)
    const found = await drift().panel(judge, time)
    expect(found.days.fail).toMatchObject([{ day: today - 1, trials: 2, hits: 1 }])
    expect(found.days.pass).toMatchObject([{ day: today - 1, trials: 1, hits: 0 }])
    expect(found).toMatchObject({ lastAt: noon(1), isOpen: true, isJudgeUsed: false })
  })

  it('is used while the monitor or a gate judges', async () => {
    const judge = await calibrated()
    await judged(judge, noon(8))
    await judged(judge, noon(1), { source: 'scan' })
    expect(await drift().panel(judge, time)).toMatchObject({ lastAt: null, isOpen: false, isJudgeUsed: false })
    await judged(judge, noon(1), { source: 'shadow' })
    expect(await drift().panel(judge, time)).toMatchObject({ isJudgeUsed: true })
  })

  it('is paid under the weekly cap, and its cost is shown', async () => {
    const judge = await calibrated({ onlineCapNano: 10n })
    await judged(judge, now, { source: 'drift_replay' }, { costNano: 9n })
    expect(await drift().panel(judge, time)).toMatchObject({ isOverCap: false })
    await judged(judge, now, {}, { costNano: 1n })
    expect(await drift().panel(judge, time)).toMatchObject({ isOverCap: true })
    const calibrations = createPgCalibrations(database.pool)
    expect(await calibrations.onlineSpent([judge.id], startOfDay(today))).toEqual(new Map([[judge.id, 10n]]))
    expect(await calibrations.panelSpent([judge.id], startOfDay(today))).toEqual(new Map([[judge.id, 9n]]))
    const planned = plannedFor(judge, { source: 'drift_replay', runId: (await addRun(judge, {})).id })
    await createPgJudgements(database.pool).plan([planned])
    const lease = await createPgJudgements(database.pool).lease(planned.id, 60_000)
    expect(lease).toMatchObject({ isRequested: true, spendCap: { id: judge.id, capNano: 10n } })
  })

  it('is not judged when the judge was retired meanwhile', async () => {
    const judge = await calibrated()
    const planned = plannedFor(judge, { source: 'drift_replay', runId: (await addRun(judge, {})).id })
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
    drift().save(judge, { finding, notice: null, at: now })

  it('is read by the next sweep, with the accuracy of the calibration', async () => {
    const judge = await calibrated()
    await save(judge, dropFound)
    expect(await read(judge)).toMatchObject({
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
    await drift().explain(judge, { cause: 'traffic', sentence: 'So it is.' })
    await drift().explain(judge, { cause: 'traffic', sentence: 'So it is.' })
    await save(judge, dropFound)
    expect(await read(judge)).toMatchObject({ driftCause: 'traffic', driftReason: 'It dropped. So it is.' })
    await save(judge, nothingFound)
    expect(await read(judge)).toMatchObject({ driftCause: null, driftReason: null, flaggedAt: null })
  })

  it.each([
    ['judge', now],
    [null, null],
  ] as const)('that is cleared by a calibration begins a new reference if its cause is %j', async (cause, from) => {
    const judge = await calibrated()
    const stale = { ...nothingFound, signal: 'stale', cause, reason: 'So.', flaggedAt: now } as const
    await drift().save(judge, { finding: stale, notice: null, at: now })
    await createPgCriteria(database.pool).clearStale(judge, now)
    expect(await read(judge)).toMatchObject({
      driftSignal: null,
      driftCause: null,
      flaggedAt: null,
      referenceFrom: from,
    })
  })
})
