import { dayMs } from '@ratchet/service-kit/timing/durations'
import { checkDrift, type DriftCheck, type DriftState } from './check-drift.ts'
import { nothingFound, unflagged } from './drift.fixture.ts'
import { driftRule } from './drift-rule.ts'
import { type DayCount, noShare, startOfDay } from './find-rise.ts'

const today = 20_000
const at = new Date(today * dayMs + 7_200_000)
const daysAgo = (days: number) => new Date(at.getTime() - days * dayMs)

/** 100 verdicts on each of the last days, the oldest first. */
function live(...fails: readonly (readonly [days: number, fails: number])[]): DayCount[] {
  const each = fails.flatMap(([days, hits]) => Array.from({ length: days }, () => hits))
  return each.map((hits, index) => ({ day: today - each.length + index, trials: 100, hits }))
}

const quiet = { baseline: { trials: 50, hits: 2 }, days: [] }
const check: DriftCheck = {
  criterion: { ...unflagged, driftCheckedAt: daysAgo(1) },
  validated: {
    alignedAt: daysAgo(20),
    judgeModels: ['judge-1'],
    fingerprints: ['fp_1'],
    accuracy: { truePositives: 97, humanFails: 100, trueNegatives: 97, humanPasses: 100 },
  },
  live: { days: live([20, 12]), judgeModel: 'judge-1', fingerprint: 'fp_1' },
  panel: { fail: quiet, pass: quiet },
  rule: { ...driftRule, staleDays: 30 },
  at,
  today,
}
const dropped = { ...check.live, days: live([13, 12], [7, 30]) }
const flagged: DriftState = {
  ...check.criterion,
  driftSignal: 'quality_drop',
  driftReason: 'It dropped.',
  driftCause: 'traffic',
  referenceUntil: startOfDay(today - 10),
  flaggedAt: daysAgo(4),
}

it('finds nothing while the live rate stays as it was', () => {
  expect(checkDrift(check)).toEqual(nothingFound)
})

it.each([
  ['is older than it may be', { alignedAt: daysAgo(31) }, {}, null, /31 days ago/],
  ['was made with another model', {}, { judgeModel: 'judge-2' }, 'judge', /judge-1, but judge-2 answers now/],
  ['was made with another build of it', {}, { fingerprint: 'fp_2' }, 'judge', /fp_1 became fp_2/],
])('calls a calibration stale that %s', (_case, validated, more, cause, reason) => {
  const finding = checkDrift({
    ...check,
    validated: { ...check.validated, ...validated },
    live: { ...check.live, ...more },
  })
  expect(finding).toEqual({
    ...nothingFound,
    signal: 'stale',
    cause,
    reason: expect.stringMatching(reason),
    flaggedAt: at,
  })
})

it('does not flag a provider that does not report its model', () => {
  const silent = { ...check.live, judgeModel: null, fingerprint: null }
  expect(checkDrift({ ...check, live: silent }).signal).toBeNull()
})

it('does not flag a build of the model that also answered in the calibration', () => {
  const validated = { ...check.validated, fingerprints: ['fp_2', 'fp_1'] }
  expect(checkDrift({ ...check, validated }).signal).toBeNull()
})

describe('a drop of the live rate', () => {
  it('is flagged when it is proven and large enough to matter', () => {
    expect(checkDrift({ ...check, live: dropped })).toMatchObject({
      signal: 'quality_drop',
      cause: null,
      reason: expect.stringMatching(/71\.3 % of 700 .*90\.4 % of 1300/),
      referenceUntil: startOfDay(today - 7),
      flaggedAt: at,
      drop: { rise: expect.closeTo(0.18, 12), failRate: expect.closeTo(0.0957, 4) },
    })
  })

  it.each([
    ['is small', live([13, 12], [7, 14])],
    ['rests on little', live([7, 30])],
    ['is an improvement', live([13, 30], [7, 12])],
  ])('is not flagged when it %s', (_case, days) => {
    expect(checkDrift({ ...check, live: { ...check.live, days } }).signal).toBeNull()
  })

  it.each([
    ['nothing is known of the judge', null],
    [
      'verdicts do not depend on the answer',
      { truePositives: 55, humanFails: 100, trueNegatives: 60, humanPasses: 100 },
    ],
  ])('is not flagged when %s', (_case, accuracy) => {
    const validated = { ...check.validated, accuracy }
    expect(checkDrift({ ...check, validated, live: dropped }).signal).toBeNull()
  })

  it('does not depend on which rows people graded', () => {
    const accuracy = { truePositives: 194, humanFails: 200, trueNegatives: 194, humanPasses: 200 }
    const validated = { ...check.validated, accuracy }
    expect(checkDrift({ ...check, validated, live: dropped }).signal).toBe('quality_drop')
  })

  it('is not compared with verdicts of a judge that has changed since', () => {
    const criterion = { ...check.criterion, referenceFrom: startOfDay(today - 8) }
    expect(checkDrift({ ...check, criterion, live: dropped }).signal).toBeNull()
  })
})

describe('verdicts on the panel', () => {
  const judged = (count: number, hits: number) => ({
    baseline: quiet.baseline,
    days: Array.from({ length: count }, (_, index) => ({ day: today - count + index, trials: 10, hits })),
  })

  it.each([
    ['fail', /passes 60\.0 % of those that people fail; before, it was 4\.0 %/],
    ['pass', /fails 60\.0 % of those that people pass; before, it was 4\.0 %/],
  ] as const)('flag a judge that got worse on answers that %s, as changed itself', (human, reason) => {
    const finding = checkDrift({ ...check, panel: { ...check.panel, [human]: judged(6, 6) } })
    expect(finding).toMatchObject({ signal: 'stale', cause: 'judge', reason: expect.stringMatching(reason) })
  })

  it('flag it although the live rate is better, because it finds fewer fails', () => {
    const fewer = { ...check.live, days: live([13, 12], [7, 8]) }
    const finding = checkDrift({ ...check, live: fewer, panel: { ...check.panel, fail: judged(6, 6) } })
    expect(finding).toMatchObject({ signal: 'stale', cause: 'judge' })
  })

  it.each([[1], [0]])('do not flag a judge with %i errors of ten', (hits) => {
    expect(checkDrift({ ...check, panel: { fail: judged(20, hits), pass: judged(20, hits) } }).signal).toBeNull()
  })

  it('need rows before and after', () => {
    const few = { baseline: noShare, days: judged(6, 6).days }
    expect(checkDrift({ ...check, panel: { ...check.panel, fail: few } }).signal).toBeNull()
  })
})

describe('a flagged drop', () => {
  const back = { ...check.live, days: live([30, 12]) }

  it('is cleared after two consecutive sweeps without it', () => {
    const first = checkDrift({ ...check, criterion: flagged, live: back })
    expect(first).toMatchObject({ signal: 'quality_drop', cause: 'traffic', reason: 'It dropped.', clearSweeps: 1 })
    const second = checkDrift({ ...check, criterion: { ...flagged, driftClearSweeps: 1 }, live: back })
    expect(second).toEqual(nothingFound)
  })

  it('is not cleared by its own verdicts, however long they continue', () => {
    const lasting = { ...check.live, days: live([10, 12], [10, 30]) }
    const criterion = { ...flagged, driftClearSweeps: 1 }
    expect(checkDrift({ ...check, criterion, live: lasting })).toMatchObject({ signal: 'quality_drop', clearSweeps: 0 })
  })

  it('remains while there is little traffic', () => {
    const criterion = { ...flagged, driftClearSweeps: 1 }
    const little = { ...check.live, days: [{ day: today - 1, trials: 49, hits: 0 }] }
    expect(checkDrift({ ...check, criterion, live: little })).toMatchObject({ signal: 'quality_drop', clearSweeps: 1 })
  })

  it('is accepted by a calibration: later verdicts are compared with those after it', () => {
    const validated = { ...check.validated, alignedAt: daysAgo(3) }
    const criterion = { ...flagged, driftClearSweeps: 1 }
    expect(checkDrift({ ...check, criterion, validated, live: dropped })).toEqual({
      ...nothingFound,
      referenceFrom: validated.alignedAt,
    })
  })

  it('of an older release, whose reference is not known, is cleared by new verdicts', () => {
    const criterion = { ...flagged, referenceUntil: null, flaggedAt: null, driftClearSweeps: 1 }
    expect(checkDrift({ ...check, criterion, live: dropped }).signal).toBeNull()
  })

  it('that becomes stale is accepted by the next calibration too', () => {
    const validated = { ...check.validated, alignedAt: daysAgo(31) }
    expect(checkDrift({ ...check, criterion: flagged, validated })).toMatchObject({
      signal: 'stale',
      referenceFrom: at,
    })
  })
})

describe('a stale judge', () => {
  const stale: DriftState = { ...check.criterion, driftSignal: 'stale', driftReason: 'Old.' }

  it('remains flagged while its live rate is normal', () => {
    expect(checkDrift({ ...check, criterion: stale })).toEqual({ ...nothingFound, signal: 'stale', reason: 'Old.' })
  })

  it('is checked again when it was flagged while its new calibration was being saved', () => {
    const criterion = { ...stale, driftCheckedAt: daysAgo(21) }
    expect(checkDrift({ ...check, criterion })).toEqual(nothingFound)
  })

  it('is found to have changed by rows that were judged again, or by its model', () => {
    const days = Array.from({ length: 6 }, (_, index) => ({ day: today - 6 + index, trials: 10, hits: 6 }))
    const panel = { ...check.panel, fail: { ...check.panel.fail, days } }
    const other = { ...check.live, judgeModel: 'another' }
    for (const more of [{ panel }, { live: other }]) {
      const found = checkDrift({ ...check, criterion: { ...stale, driftCheckedAt: check.at }, ...more })
      expect(found).toMatchObject({ signal: 'stale', cause: 'judge' })
      expect(found.reason).not.toBe('Old.')
    }
  })

  it('that had a drop of its own is still known as changed when its calibration is old', () => {
    const criterion = {
      ...check.criterion,
      driftSignal: 'quality_drop',
      driftReason: 'Drop.',
      driftCause: 'judge',
    } as const
    const validated = { ...check.validated, alignedAt: daysAgo(31) }
    expect(checkDrift({ ...check, criterion, validated })).toMatchObject({ signal: 'stale', cause: 'judge' })
    const ofTraffic = { ...criterion, driftCause: 'traffic' } as const
    expect(checkDrift({ ...check, criterion: ofTraffic, validated })).toMatchObject({ signal: 'stale', cause: null })
  })

  it('that has changed itself is compared with verdicts after its calibration', () => {
    const criterion = { ...stale, driftCause: 'judge', driftCheckedAt: daysAgo(21) } as const
    expect(checkDrift({ ...check, criterion }).referenceFrom).toEqual(check.validated.alignedAt)
  })
})
