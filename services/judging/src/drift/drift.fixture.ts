import { storedCriterion } from '../criteria/criterion.fixture.ts'
import type { DriftFinding, DriftState } from './check-drift.ts'
import type { ExaminedCriterion } from './drift-store.ts'

/** A judge that was never flagged. */
export const unflagged: DriftState = {
  driftSignal: null,
  driftReason: null,
  driftCause: null,
  driftClearSweeps: 0,
  driftCheckedAt: null,
  referenceFrom: null,
  referenceUntil: null,
  flaggedAt: null,
}

/** The finding of a sweep about a judge that has nothing. */
export const nothingFound: DriftFinding = {
  signal: null,
  cause: null,
  reason: null,
  clearSweeps: 0,
  referenceFrom: null,
  referenceUntil: null,
  flaggedAt: null,
  drop: null,
}

/** A judge with 3 % errors in both classes. */
export function examinedCriterion(more: Partial<ExaminedCriterion> = {}): ExaminedCriterion {
  return {
    ...storedCriterion(),
    ...unflagged,
    calibrationId: '00000000-0000-7000-8000-0000000000d1',
    alignedAt: new Date('2026-11-21T12:00:00Z'),
    accuracy: { truePositives: 97, humanFails: 100, trueNegatives: 97, humanPasses: 100 },
    ...more,
  }
}
