import type { DriftFinding } from './check-drift.ts'
import { examinedCriterion, nothingFound } from './drift.fixture.ts'
import { driftNotice } from './drift-notice.ts'

const at = new Date('2026-11-21T12:00:00Z')
const examined = examinedCriterion({ alignedAt: at })
const stale: DriftFinding = { ...nothingFound, signal: 'stale', reason: 'Calibrated 31 days ago.' }

it('makes an event for a newly flagged judge, with the reason', () => {
  expect(driftNotice(examined, stale, at)).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-/),
    workspaceId: examined.workspaceId,
    type: 'criterion.drift_flagged',
    data: {
      object: 'criterion',
      id: 'crit_000000000000700080000000000000c1',
      name: 'Polite',
      drift_signal: 'stale',
      drift_cause: null,
      drift_reason: 'Calibrated 31 days ago.',
    },
    createdAt: at,
  })
})

it.each([
  [null, 'stale', true],
  [null, 'quality_drop', true],
  ['quality_drop', 'stale', true],
  ['stale', 'quality_drop', true],
  ['stale', 'stale', false],
  ['quality_drop', 'quality_drop', false],
  ['quality_drop', null, false],
  [null, null, false],
] as const)('%s that becomes %s makes an event: %s', (driftSignal, signal, isReported) => {
  const notice = driftNotice({ ...examined, driftSignal }, { ...stale, signal }, at)
  expect(notice !== null).toBe(isReported)
})

it('makes the same event for one finding, and another for the next', () => {
  const idOf = (more: object, signal: DriftFinding['signal'] = 'stale') =>
    driftNotice({ ...examined, ...more }, { ...stale, signal }, at)?.id
  const later = driftNotice(examined, stale, new Date('2026-11-21T12:00:01Z'))?.id
  expect(later).toBe(idOf({}))
  const ids = [
    idOf({}),
    idOf({}, 'quality_drop'),
    idOf({ driftCheckedAt: at }),
    idOf({ instrument: 2 }),
    idOf({ id: examined.workspaceId }),
  ]
  expect(new Set(ids).size).toBe(ids.length)
})
