import { Criterion } from '@ratchet/contracts/criteria'
import { measureJudge } from '../calibration/measure-judge.ts'
import { confusionRows } from '../calibration/rows.fixture.ts'
import { storedCriterion } from './criterion.fixture.ts'
import { criterionReply } from './criterion-reply.ts'

const alignedAt = new Date('2026-11-02T00:00:00Z')
const unspent = { onlineSpentNano: 0n, panelSpentNano: 0n, monitored: null }
const model = { judgeModelResolved: null, judgeFingerprint: null }

describe('a judge on the wire', () => {
  it('has no measures before its first calibration', () => {
    const reply = criterionReply(storedCriterion(), { evidence: null, ...unspent })
    expect(Criterion.parse(reply)).toMatchObject({
      id: 'crit_000000000000700080000000000000c1',
      trust: 'unmeasured',
      tier: 'unmeasured',
      tpr: null,
      tnr: null,
      tpr_ci: null,
      tnr_ci: null,
      kappa: null,
      alignment_n: null,
      aligned_at: null,
      fail_grades_needed: null,
      pass_grades_needed: null,
      drift_status: 'ok',
      drift_signal: null,
      drift_cause: null,
      drift_reason: null,
      online_spent_usd: 0,
    })
  })

  it('has the measures of its calibration', () => {
    const measures = measureJudge(confusionRows({ tp: 49, fn: 1, fp: 3, tn: 97 }))
    const reply = criterionReply(storedCriterion(), {
      evidence: {
        calibrationId: '00000000-0000-7000-8000-000000000001',
        measures,
        repeats: { rows: 20, same: 19 },
        alignedAt,
        ...model,
      },
      onlineSpentNano: 1_234_000n,
      panelSpentNano: 34_000n,
      monitored: null,
    })
    expect(reply).toMatchObject({
      trust: 'under-measured',
      tier: 'aligned',
      tpr: 0.98,
      tnr: 0.97,
      alignment_n: 150,
      fail_grades_needed: 5,
      pass_grades_needed: null,
      aligned_at: '2026-11-02T00:00:00.000Z',
      online_spent_usd: 0.001234,
      drift_panel_spent_usd: 0.000034,
      repeatability: { rows: 20, same: 19, rate: 0.95 },
    })
    expect(reply.repeatability?.ci.map((bound) => bound.toFixed(6))).toEqual(['0.751267', '0.998735'])
    expect(reply.tpr_ci?.map((bound) => bound.toFixed(6))).toEqual(['0.895046', '0.996461'])
  })

  it('has the drop that its monitor can find, once it is calibrated', () => {
    const measures = measureJudge(confusionRows({ tp: 49, fn: 1, fp: 3, tn: 97 }))
    const evidence = {
      calibrationId: '00000000-0000-7000-8000-000000000001',
      measures,
      repeats: null,
      alignedAt,
      ...model,
    }
    const monitored = { verdictsPerDay: 50, before: { hits: 300, trials: 2_800 } }
    const { drift_detectable } = criterionReply(storedCriterion(), { ...unspent, evidence, monitored })
    expect(drift_detectable).toMatchObject({ within_days: 14, chance: 0.8, verdicts_per_day: 50 })
    expect(drift_detectable?.drop).toBeGreaterThan(0.05)
    expect(drift_detectable?.drop).toBeLessThan(0.1)
    expect(criterionReply(storedCriterion(), { ...unspent, evidence: null, monitored }).drift_detectable).toBeNull()
  })

  it('has its drift flag and the reason', () => {
    const flagged = storedCriterion({
      driftSignal: 'stale',
      driftReason: 'It is another model.',
      driftCause: 'judge',
      onlineCapNano: 5_000n,
    })
    expect(criterionReply(flagged, { evidence: null, ...unspent })).toMatchObject({
      drift_status: 'flagged',
      drift_signal: 'stale',
      drift_cause: 'judge',
      drift_reason: 'It is another model.',
      online_cap_usd: 0.000005,
    })
  })
})
