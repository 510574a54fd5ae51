import { checkDrift, type DriftCheck } from './check-drift.ts'

const at = new Date('2026-11-21T00:00:00Z')
const daysAgo = (days: number) => new Date(at.getTime() - days * 86_400_000)
const check: DriftCheck = {
  criterion: { driftSignal: null, driftReason: null, driftClearSweeps: 0, driftCheckedAt: daysAgo(1) },
  validated: {
    alignedAt: daysAgo(3),
    judgeModels: ['judge-1'],
    fingerprints: ['fp_1'],
    accuracy: { truePositives: 97, humanFails: 100, trueNegatives: 97, humanPasses: 100 },
    passRate: { rate: 0.9, standardError: 0.03 },
  },
  live: { judged: 500, judgedFails: 62, judgeModel: 'judge-1', fingerprint: 'fp_1' },
  settings: { staleDays: 30, minJudged: 50, alpha: 0.005, minDrop: 0.03 },
  at,
}
const dropped = { ...check.live, judgedFails: 150 }
const flagged = {
  driftSignal: 'quality_drop',
  driftReason: 'It dropped.',
  driftClearSweeps: 0,
  driftCheckedAt: daysAgo(1),
} as const

it('finds nothing while the live rate equals the validated one', () => {
  expect(checkDrift(check)).toEqual({ signal: null, reason: null, clearSweeps: 0 })
})

it.each([
  ['is older than it may be', { alignedAt: daysAgo(31) }, {}, /31 days ago/],
  ['was made with another model', {}, { judgeModel: 'judge-2' }, /judge-1, but judge-2 answers now/],
  ['was made with another build of it', {}, { fingerprint: 'fp_2' }, /fp_1 became fp_2/],
])('calls a calibration stale that %s', (_case, validated, live, reason) => {
  const finding = checkDrift({
    ...check,
    validated: { ...check.validated, ...validated },
    live: { ...check.live, ...live },
  })
  expect(finding).toEqual({ signal: 'stale', reason: expect.stringMatching(reason), clearSweeps: 0 })
})

it('does not flag a provider that does not report its model', () => {
  const live = { ...check.live, judgeModel: null, fingerprint: null }
  expect(checkDrift({ ...check, live }).signal).toBeNull()
})

it('does not flag a build of the model that also answered in the calibration', () => {
  const validated = { ...check.validated, fingerprints: ['fp_2', 'fp_1'] }
  expect(checkDrift({ ...check, validated }).signal).toBeNull()
})

it('flags a drop that is proven and large enough to matter', () => {
  expect(checkDrift({ ...check, live: dropped })).toMatchObject({
    signal: 'quality_drop',
    reason: expect.stringMatching(/71\.3 % pass.*90\.0 %/),
  })
})

it.each([
  ['is small', { judged: 20_000, judgedFails: 2_800 }],
  ['rests on little', { judged: 49, judgedFails: 40 }],
  ['could be chance', { judged: 60, judgedFails: 14 }],
])('does not flag a drop that %s', (_case, live) => {
  expect(checkDrift({ ...check, live: { ...check.live, ...live } }).signal).toBeNull()
})

it('clears a drop after two consecutive sweeps without it', () => {
  const first = checkDrift({ ...check, criterion: flagged })
  expect(first).toEqual({ signal: 'quality_drop', reason: 'It dropped.', clearSweeps: 1 })
  const second = checkDrift({ ...check, criterion: { ...flagged, driftClearSweeps: first.clearSweeps } })
  expect(second).toEqual({ signal: null, reason: null, clearSweeps: 0 })
})

it('starts counting again when the drop returns in between', () => {
  const criterion = { ...flagged, driftClearSweeps: 1 }
  expect(checkDrift({ ...check, criterion, live: dropped })).toMatchObject({ signal: 'quality_drop', clearSweeps: 0 })
})

it('keeps a stale judge flagged while its live rate is normal', () => {
  const criterion = {
    driftSignal: 'stale',
    driftReason: 'Old.',
    driftClearSweeps: 0,
    driftCheckedAt: daysAgo(1),
  } as const
  expect(checkDrift({ ...check, criterion })).toEqual({ signal: 'stale', reason: 'Old.', clearSweeps: 0 })
})

it('checks again a judge that was flagged while its new calibration was being saved', () => {
  const criterion = {
    driftSignal: 'stale',
    driftReason: 'Old.',
    driftClearSweeps: 0,
    driftCheckedAt: daysAgo(3),
  } as const
  expect(checkDrift({ ...check, criterion }).signal).toBeNull()
})
