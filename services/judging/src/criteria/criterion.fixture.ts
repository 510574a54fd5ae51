import type { StoredCriterion } from './criterion.ts'

/** A judge of all traffic, without a calibration. */
export function storedCriterion(more: Partial<StoredCriterion> = {}): StoredCriterion {
  return {
    id: '00000000-0000-7000-8000-0000000000c1',
    workspaceId: '00000000-0000-7000-8000-0000000000aa',
    name: 'Polite',
    description: null,
    judgePrompt: 'Fail an answer that is rude.',
    judgeModel: 'sim/judge',
    checks: null,
    status: 'draft',
    source: 'human',
    unit: 'request',
    population: '',
    populationFamily: '',
    onlineEnabled: false,
    onlinePercent: 5,
    onlineCapNano: 0n,
    driftSignal: null,
    driftReason: null,
    driftCause: null,
    driftCheckedAt: null,
    driftClearSweeps: 0,
    instrument: 1,
    createdBy: '00000000-0000-7000-8000-0000000000bb',
    createdAt: new Date('2026-11-01T00:00:00Z'),
    ...more,
  }
}
