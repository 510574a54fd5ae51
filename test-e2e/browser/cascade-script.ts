import type { Cascade } from '@ratchet/contracts/cascades'

const at = '2026-11-20T10:00:00.000Z'

const proven: Cascade = {
  object: 'cascade',
  id: 'cas_1',
  name: 'Cheap first',
  members: [
    { criterion_id: 'crit_2', verdicts: 3 },
    { criterion_id: 'crit_1', verdicts: 1 },
  ],
  agreement: 0.9,
  confidence: 0.95,
  can_scan: true,
  calibration: {
    object: 'cascade.calibration',
    id: 'cal_1',
    status: 'DONE',
    progress: { done: 300, total: 300 },
    error: null,
    void_reason: null,
    graded: 300,
    left_out: 0,
    unanswered: 0,
    ordinal: 1,
    error_probability: 0.025,
    is_proven: true,
    thresholds: [
      { criterion_id: 'crit_2', verdicts: 3, min_equal: 3 },
      { criterion_id: 'crit_1', verdicts: 1, min_equal: 1 },
    ],
    coverage: 0.97,
    agreement: 0.95,
    agreement_ci: [0.92, 0.97],
    shares: [
      { criterion_id: 'crit_2', share: 0.8 },
      { criterion_id: 'crit_1', share: 0.17 },
    ],
    usd_per_1000: 0.5,
    last_judge_usd_per_1000: 1.2,
    saving: 0.58,
    cost_usd: 0.4,
    created_at: at,
    finished_at: at,
  },
  created_at: at,
}

/** One cascade with a calibration that proves it, and one that has none. */
export const cascades: readonly Cascade[] = [
  proven,
  { ...proven, id: 'cas_2', name: 'Not calibrated', can_scan: false, calibration: null },
]
