import { dayMs } from '@ratchet/service-kit/timing/durations'
import { countingUuids } from '@ratchet/testing/counting-ids'
import type { JudgeRun, NewRun } from '../runs/judge-run.ts'
import { examinedCriterion } from './drift.fixture.ts'
import { driftRule } from './drift-rule.ts'
import type { DriftStore, ExaminedCriterion, FoundDrift, JudgedPanel } from './drift-store.ts'
import { utcDay } from './find-rise.ts'
import { sweepDrift } from './sweep-drift.ts'

const at = new Date('2026-11-21T12:00:00Z')
const daysAgo = (days: number) => new Date(at.getTime() - days * dayMs)
const examined = examinedCriterion({ alignedAt: daysAgo(10) })
const due: JudgedPanel = {
  days: { fail: [], pass: [] },
  lastAt: daysAgo(1),
  isOpen: false,
  isJudgeUsed: true,
  isOfEvals: false,
  isOverCap: false,
}
const steady = Array.from({ length: 10 }, (_, index) => ({ day: utcDay(daysAgo(10 - index)), trials: 100, hits: 12 }))
const dropped = steady.map((day, index) => (index < 3 ? day : { ...day, hits: 60 }))

interface Sweep {
  readonly judge?: Partial<ExaminedCriterion>
  readonly panel?: Partial<JudgedPanel>
  readonly days?: typeof steady
  readonly now?: Date
}

async function sweep({ judge = {}, panel = {}, days = steady, now = at }: Sweep) {
  const found: FoundDrift[] = []
  const runs: NewRun[] = []
  const recorded: number[] = []
  const drift: DriftStore = {
    examined: async () => [{ ...examined, ...judge }],
    recordDays: async (_examined, today) => void recorded.push(today),
    live: async () => ({ days, judgeModel: null, fingerprint: null }),
    panel: async () => ({ ...due, ...panel }),
    calibrationRows: async () => [],
    save: async (_examined, each) => void found.push(each),
    explain: async () => undefined,
  }
  await sweepDrift({
    drift,
    now: () => now,
    newId: countingUuids(),
    enqueueRuns: async () => undefined,
    runs: {
      async create(run) {
        runs.push(run)
        return run as JudgeRun
      },
    },
    rule: { ...driftRule, staleDays: 30 },
    onFailure: (_id, cause) => {
      throw cause
    },
  })
  return { found, runs, recorded }
}

const aged = { alignedAt: daysAgo(51) }
const changed = { ...aged, driftSignal: 'stale', driftCause: 'judge', driftCheckedAt: at } as const

it('saves a finding together with its webhook event', async () => {
  const data = { drift_signal: 'stale', drift_cause: null, drift_reason: expect.stringContaining('51 days ago') }
  const { found } = await sweep({ judge: aged })
  expect(found).toMatchObject([{ finding: { signal: 'stale' }, notice: { data, createdAt: at }, at }])
})

it('makes no webhook event for a judge that was flagged before', async () => {
  const judge = { ...aged, driftSignal: 'stale', driftReason: 'Aged.', driftCheckedAt: at } as const
  const { found } = await sweep({ judge })
  expect(found).toMatchObject([{ finding: { signal: 'stale', reason: 'Aged.' }, notice: null }])
})

it('judges rows of the panel again, once a day', async () => {
  const { runs } = await sweep({})
  expect(runs).toMatchObject([
    { kind: 'drift_replay', request: { calibrationId: examined.calibrationId, rows: 'panel' }, maxCostNano: null },
  ])
})

it.each<[string, Sweep]>([
  ['were judged today', { panel: { lastAt: at } }],
  ['are those of a calibration of today', { judge: { alignedAt: at }, panel: { lastAt: null } }],
  ['are being judged', { panel: { isOpen: true } }],
  ['belong to a judge that is not used', { panel: { isJudgeUsed: false } }],
  ['would cost more than the weekly cap', { panel: { isOverCap: true } }],
  ['belong to a judge that must be calibrated again', { judge: aged }],
  ['belong to a judge of evals that has changed', { judge: changed, panel: { isOfEvals: true } }],
])('does not judge rows again that %s', async (_case, each) => {
  expect((await sweep(each)).runs).toEqual([])
})

it('goes on with the rows of an old judge while an eval with it may be evidence', async () => {
  const old = { ...aged, driftSignal: 'stale', driftCheckedAt: at } as const
  for (const judge of [aged, old]) {
    const { found, runs } = await sweep({ judge, panel: { isOfEvals: true } })
    expect(found).toMatchObject([{ finding: { signal: 'stale', cause: null } }])
    expect(runs).toMatchObject([{ request: { rows: 'panel' } }])
  }
})

it('searches the cause of a drop at once, also when rows were judged today', async () => {
  const { found, runs } = await sweep({ days: dropped, panel: { lastAt: at } })
  expect(found).toMatchObject([{ finding: { signal: 'quality_drop', cause: null } }])
  expect(runs).toMatchObject([{ request: { rows: 'drop', drop: { rise: expect.closeTo(0.48, 12) } } }])
})

it('counts a day as complete an hour after its end', async () => {
  const midnight = new Date('2026-11-22T00:00:00Z')
  const early = await sweep({ now: new Date(midnight.getTime() + 3_599_000) })
  const later = await sweep({ now: new Date(midnight.getTime() + 3_600_000) })
  expect([early.recorded, later.recorded]).toEqual([[utcDay(at)], [utcDay(midnight)]])
})
