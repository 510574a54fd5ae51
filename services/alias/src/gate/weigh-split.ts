import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { SplitToWeighBody as SplitToWeigh, WeighedArm, WeighedSplit } from '@ratchet/contracts/internal-split'
import type { Interval } from '@ratchet/stats/interval'
import { type ArmCounts, type ArmTraffic, noTraffic } from './arm-counts.ts'
import { checkGuard } from './check-guard.ts'
import { decideGate } from './decide-gate.ts'
import { alphaOf, type GateEvidence, type GuardFinding, gateEvidence } from './gate-evidence.ts'
import type { GateJudge } from './gate-judge.ts'
import type { GateRules } from './gate-timing.ts'
import { weighGrades } from './weigh-grades.ts'

export interface SplitContext {
  /** Of runs; null when it does not exist any more. */
  readonly judge: GateJudge | null
  readonly rules: GateRules
}

/** The gate of aliases on what another service has counted. */
export function weighSplit(split: SplitToWeigh, { judge, rules }: SplitContext): WeighedSplit {
  const settings = settingsOf(split)
  const arms = { target: countsOf('target', split.target), canary: countsOf('canary', split.canary) }
  const evidence: GateEvidence = {
    ...gateEvidence({ settings, judge, arms, segments: [] }),
    guard: guardOf(split, alphaOf(settings)),
  }
  const decision = decideGate(evidence, { elapsedMs: split.elapsed_ms, rules })
  const { difference, graded, srmP, youden } = evidence
  return {
    state: decision.state,
    reason: decision.reason,
    // Without segments there is no other action.
    action: decision.action === 'roll_back_families' ? null : decision.action,
    instrument: judge?.instrument ?? null,
    trust: judge?.trust ?? null,
    youden,
    difference: difference === null ? null : { estimate: difference.estimate, cs: pairOf(difference.cs) },
    graded_difference: graded === null ? null : { estimate: graded.difference, cs: pairOf(graded.interval) },
    srm_p: srmP,
    guard: evidence.guard.map((each) => ({ ...each, cs: each.cs === null ? null : [...each.cs] })),
  }
}

/** The settings of an alias with the same gate. */
function settingsOf(split: SplitToWeigh): AliasSettings {
  return {
    name: 'split',
    description: null,
    target_model: 'target',
    canary_model: 'canary',
    canary_percent: split.canary_percent,
    gate_criterion_id: split.criterion_id,
    gate_mode: split.mode,
    gate_min_samples_per_arm: split.min_samples_per_arm,
    gate_rollback_threshold: split.rollback_threshold,
    gate_confidence: split.confidence,
    gate_window_hours: split.window_hours,
    gate_guard: null,
    sticky_by: 'trace',
    shadow_model: null,
    shadow_percent: 0,
    require_evidence: null,
    family_rules: [],
  }
}

function countsOf(arm: 'target' | 'canary', { left_out, grades, ...counted }: WeighedArm): ArmCounts {
  const { assigned, scored, fails, open, unjudged, graded } = counted
  const sums = grades.map((each) => ({ ...each, arm }))
  return {
    model: arm,
    ...trafficOf(counted),
    assigned,
    scored,
    fails,
    open,
    unjudged,
    graded,
    mixed: 0,
    unfinished: 0,
    assisted: left_out,
    ...weighGrades(arm, sums),
  }
}

function trafficOf({
  assigned,
  latencies,
  cost_usd,
  cost_usd_squared,
}: Omit<WeighedArm, 'left_out' | 'grades'>): ArmTraffic {
  return {
    assigned,
    served: assigned,
    errors: 0,
    costUsd: cost_usd,
    costUsdSquared: cost_usd_squared,
    latencies: new Map(Object.entries(latencies).map(([bucket, count]) => [Number(bucket), count])),
  }
}

const noLimits = { max_error_rate_increase: null, max_latency_ratio: null, max_cost_ratio: null }

/** Each limit is compared on its own counts: not every unit has a latency, a cost, or the chance to fail. */
function guardOf({ guard, target, canary }: SplitToWeigh, alpha: number): readonly GuardFinding[] {
  const { max_increase, max_latency_ratio, max_cost_ratio } = guard
  const increases = Object.entries(max_increase).flatMap(([name, limit]) =>
    checkGuard({
      guard: { ...noLimits, max_error_rate_increase: limit },
      canary: shareOf(canary, name),
      target: shareOf(target, name),
      alpha,
    }).map((found) => ({ ...found, name })),
  )
  const latency = checkGuard({
    guard: { ...noLimits, max_latency_ratio },
    canary: trafficOf(canary),
    target: trafficOf(target),
    alpha,
  })
  const cost = checkGuard({
    guard: { ...noLimits, max_cost_ratio },
    canary: costsOf(canary),
    target: costsOf(target),
    alpha,
  })
  return [...increases, ...latency, ...cost]
}

function shareOf({ failures }: WeighedArm, name: string): ArmTraffic {
  const { having = 0, of = 0 } = failures[name] ?? {}
  return { ...noTraffic, errors: having, latencies: answers(of - having) }
}

function costsOf(arm: WeighedArm): ArmTraffic {
  return { ...trafficOf(arm), latencies: answers(arm.costed) }
}

/** So many units, of which the latency does not matter. */
const answers = (count: number): ReadonlyMap<number, number> => new Map([[0, Math.max(0, count)]])

function pairOf({ low, high }: Interval): [number, number] {
  return [low, high]
}
