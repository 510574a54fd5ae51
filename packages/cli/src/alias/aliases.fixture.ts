import type { AliasGate, GateArm } from '@ratchet/contracts/alias-gate'
import type { Alias } from '@ratchet/contracts/aliases'
import type { GatePlan } from '@ratchet/contracts/gate-plan'

export const criterionId = 'crit_019aa5f08a0770008000000000000001'

/** An alias without a canary. */
export function aliasWith(changes: Partial<Alias> = {}): Alias {
  return {
    object: 'alias',
    name: 'support',
    target_model: 'sim/large',
    description: null,
    canary_model: null,
    canary_percent: 0,
    gate_criterion_id: null,
    gate_mode: null,
    gate_min_samples_per_arm: 100,
    gate_rollback_threshold: 0.05,
    gate_window_hours: 72,
    gate_confidence: 0.95,
    gate_guard: null,
    sticky_by: 'request',
    shadow_model: null,
    shadow_percent: 0,
    require_evidence: null,
    family_rules: [],
    gate_state: null,
    gate_plan: null,
    gate_plan_missing: null,
    created_at: '2026-11-21T12:00:00.000Z',
    updated_at: '2026-11-21T13:00:00.000Z',
    updated_by: 'usr_ann',
    version: 3,
    ...changes,
  }
}

export function armWith(changes: Partial<GateArm> = {}): GateArm {
  return {
    model: 'sim/large',
    assigned: 900,
    served: 890,
    errors: 2,
    scored: 200,
    fails: 20,
    open: 3,
    unjudged: 1,
    skipped: 0,
    mixed: 0,
    unfinished: 0,
    assisted: 0,
    graded: 12,
    drawn: 0,
    judge_tpr: null,
    judge_tnr: null,
    raw_pass_rate: 0.9,
    pass_rate: 0.925,
    ci: [0.85, 0.93],
    cs: [0.8, 0.95],
    error_rate: 0.002,
    p95_latency_ms: 1_234,
    avg_cost_usd: 0.0021,
    ...changes,
  }
}

/** A gate with a canary that is as good as the target so far. */
export function gateWith(changes: Partial<AliasGate> = {}): AliasGate {
  const canary = { model: 'sim/small', assigned: 100, served: 99, scored: 100, fails: 12, raw_pass_rate: 0.88 }
  return {
    object: 'alias.gate',
    alias: 'support',
    unit: 'request',
    state: 'collecting',
    reason: 'The difference may still be either.',
    mode: 'recommend',
    criterion_id: criterionId,
    trust: 'trustworthy',
    youden: 0.8,
    arms: { target: armWith(), canary: armWith({ ...canary, pass_rate: 0.9, cs: [0.75, 0.95] }) },
    shadow: null,
    difference: { estimate: -0.025, ci: [-0.08, 0.03], cs: [-0.12, 0.07] },
    graded_difference: null,
    margin: 0.05,
    srm_p: 0.5,
    guard: [],
    segments: [],
    plan: null,
    looks: 4,
    started_at: '2026-11-21T12:00:00.000Z',
    ends_at: '2026-11-24T12:00:00.000Z',
    looked_at: '2026-11-21T12:30:00.000Z',
    decided_at: null,
    ...changes,
  }
}

/** What a gate needs in all, of which a part is missing. */
export function planWith(changes: Partial<GatePlan> = {}): GatePlan {
  return {
    unit: 'request',
    scored: { target: 5_000, canary: 600 },
    grades: { target: { fails: 60, passes: 40 }, canary: { fails: 60, passes: 180 } },
    missing: { scored: { target: 4_800, canary: 500 }, grades: { target: 100, canary: 228 } },
    scored_per_hour: 250,
    hours: 21.3,
    ready_at: '2026-11-22T09:20:00.000Z',
    fits_window: true,
    cost: { usd_per_verdict: 0.002, usd_per_verdict_from: 'verdicts', judging_usd: 10.6, mirroring_usd: 0 },
    assumed: { fail_rate: 0.1, tpr: 0.97, tnr: 0.97, power: 0.8 },
    ...changes,
  }
}
