import type { AliasGate, GateArm, GateSegment, GateShadow } from '@ratchet/contracts/alias-gate'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { betaBinomialSequence } from '@ratchet/stats/beta-binomial-sequence'
import type { Interval } from '@ratchet/stats/interval'
import type { PartlyGradedRows } from '@ratchet/stats/partly-graded-rate'
import { stratifiedAccuracy } from '@ratchet/stats/stratified-accuracy'
import { wilsonInterval } from '@ratchet/stats/wilson-interval'
import { isGated, isSplit, type StoredAlias } from '../aliases/alias.ts'
import { type ArmCounts, answersOf, type CountsByArm, drawnOf, endedOf, type ShadowCounts } from './arm-counts.ts'
import { gradedRows } from './compare-graded.ts'
import type { ComparedSegment, SegmentCounts } from './compare-segments.ts'
import { alphaOf, type GateEvidence, gateEvidence } from './gate-evidence.ts'
import { type GateJudge, youdenOf } from './gate-judge.ts'
import { latencyQuantile } from './latency-quantile.ts'
import { answersPerHour, assumedArms, planGate, scoredPerHour } from './plan-gate.ts'
import { planReply } from './plan-reply.ts'

export interface GateView {
  readonly alias: StoredAlias
  readonly arms: CountsByArm
  readonly segments: readonly SegmentCounts[]
  readonly at: Date
  readonly shadow: ShadowCounts | null
}

/** The split with its current counts, and the result of the last gate evaluation. */
export function gateReply(view: GateView): AliasGate {
  const { alias, arms, segments, shadow } = view
  const { settings, gate, epoch } = alias
  const { judge } = gate
  const evidence = gateEvidence({ settings, judge, arms, segments })
  const alpha = alphaOf(settings)
  const isLive = isSplit(settings)
  const hasGate = isGated(settings)
  return {
    object: 'alias.gate',
    alias: settings.name,
    unit: gate.judge?.unit ?? 'request',
    state: gate.state ?? 'collecting',
    reason: gate.reason ?? reasonBeforeEvaluation(alias),
    mode: settings.gate_mode,
    criterion_id: settings.gate_criterion_id,
    trust: judge?.trust ?? null,
    youden: evidence.youden,
    arms: {
      target: armReply(arms.target, { judge, alpha }),
      canary: settings.canary_model === null ? null : armReply(arms.canary, { judge, alpha }),
    },
    shadow: shadow === null ? null : shadowReply(shadow, judge),
    difference: differenceReply(evidence.difference),
    graded_difference: gradedReply(evidence.graded),
    margin: evidence.margin,
    srm_p: evidence.srmP,
    guard: [...evidence.guard],
    segments: evidence.segments.toSorted((one, other) => other.logEValue - one.logEValue).map(segmentReply),
    plan: hasGate ? runningPlan(view) : null,
    looks: gate.evaluations,
    started_at: isLive ? epoch.startedAt.toISOString() : null,
    ends_at: hasGate ? new Date(epoch.startedAt.getTime() + settings.gate_window_hours * hourMs).toISOString() : null,
    looked_at: gate.evaluatedAt?.toISOString() ?? null,
    decided_at: gate.decidedAt?.toISOString() ?? null,
  }
}

function reasonBeforeEvaluation({ settings }: StoredAlias): string {
  if (!isSplit(settings)) return 'There is no split: all requests go to one model.'
  if (settings.gate_mode === null) return 'There is no gate: gate_mode is null.'
  return 'The gate was not evaluated yet.'
}

interface Scale {
  readonly judge: GateJudge | null
  readonly alpha: number
}

function armReply(arm: ArmCounts, { judge, alpha }: Scale): GateArm {
  const { scored, fails, served, errors } = arm
  const answers = answersOf(arm)
  return {
    model: arm.model,
    assigned: arm.assigned,
    served,
    errors,
    scored,
    fails,
    open: arm.open,
    unjudged: arm.unjudged,
    mixed: arm.mixed,
    unfinished: arm.unfinished,
    assisted: arm.assisted,
    graded: arm.graded,
    drawn: drawnOf(arm),
    skipped: arm.skipped,
    ...judgeRates(arm),
    ...passRates({ scored, fails }, judge),
    cs: scored === 0 ? null : pairOf(betaBinomialSequence(scored - fails, scored, alpha)),
    error_rate: endedOf(arm) === 0 ? null : errors / endedOf(arm),
    p95_latency_ms: latencyQuantile(arm.latencies, { quantile: 0.95, alpha })?.estimateMs ?? null,
    avg_cost_usd: answers === 0 ? null : arm.costUsd / answers,
  }
}

function passRates({ scored, fails }: Pick<ArmCounts, 'scored' | 'fails'>, judge: GateJudge | null) {
  const raw = scored === 0 ? null : 1 - fails / scored
  return {
    raw_pass_rate: raw,
    pass_rate: raw === null ? null : corrected(raw, judge),
    ci: pairOf(wilsonInterval(scored - fails, scored)),
  }
}

/** Corrected after Rogan and Gladen and clipped to 0..1; null when the judge is too weak for a correction. */
function corrected(rawPassRate: number, judge: GateJudge | null): number | null {
  const youden = youdenOf(judge)
  if (youden === null || judge?.tnr == null) return null
  const failRate = (1 - rawPassRate + judge.tnr - 1) / youden
  return Math.min(1, Math.max(0, 1 - failRate))
}

function shadowReply(shadow: ShadowCounts, judge: GateJudge | null): GateShadow {
  const { model, mirrored, errors, scored, fails, answered } = shadow
  return {
    model,
    mirrored,
    errors,
    scored,
    fails,
    ...passRates({ scored, fails }, judge),
    avg_latency_ms: answered === 0 ? null : shadow.latencyMs / answered,
    avg_cost_usd: answered === 0 ? null : shadow.costUsd / answered,
  }
}

function differenceReply(difference: GateEvidence['difference']): AliasGate['difference'] {
  if (difference === null) return null
  const { estimate, ci, cs } = difference
  return { estimate, ci: [ci.low, ci.high], cs: [cs.low, cs.high] }
}

function gradedReply(graded: GateEvidence['graded']): AliasGate['graded_difference'] {
  if (graded === null) return null
  return { estimate: graded.difference, cs: [graded.interval.low, graded.interval.high] }
}

/** The largest e-value that a reply shows. */
const maxLogEValue = 300 * Math.LN10

function segmentReply(compared: ComparedSegment): GateSegment {
  const { segment, target, canary, difference, logEValue, share, isWorse } = compared
  return {
    segment,
    state: familyState(compared),
    target: { ...target },
    canary: { ...canary },
    difference: difference === null ? null : { estimate: difference.estimate, cs: pairOf(difference.cs) },
    e_value: Math.exp(Math.min(maxLogEValue, logEValue)),
    error_share: share,
    worse: isWorse,
  }
}

function familyState({ difference, isRolledBack, isWorse }: ComparedSegment): GateSegment['state'] {
  if (isRolledBack) return 'rolled_back'
  if (difference === null) return 'collecting'
  return isWorse ? 'worse' : 'watched'
}

/** TPR and TNR of the judge on one arm's answers, by the grades of drawn ones. */
function judgeRates(arm: ArmCounts): Pick<GateArm, 'judge_tpr' | 'judge_tnr'> {
  const { tpr, tnr } = stratifiedAccuracy(wholeStrata(gradedRows(arm)))
  const shown = (side: typeof tpr) => (side === null ? null : { rate: side.rate, ci: pairOf(side.interval) })
  return { judge_tpr: shown(tpr), judge_tnr: shown(tnr) }
}

/** Effective numbers of weighted grades are fractions; these intervals take whole ones. */
function wholeStrata({ judgedFail, judgedPass }: PartlyGradedRows): PartlyGradedRows {
  const whole = ({ rows, graded, humanFails }: PartlyGradedRows['judgedFail']) => {
    const trials = Math.floor(graded)
    return { rows, graded: trials, humanFails: graded === 0 ? 0 : Math.round((trials * humanFails) / graded) }
  }
  return { judgedFail: whole(judgedFail), judgedPass: whole(judgedPass) }
}

function runningPlan({ alias: { settings, gate, epoch }, arms, shadow, at }: GateView): AliasGate['plan'] {
  const { judge } = gate
  const assumed = assumedArms(judge, arms.target)
  const elapsedMs = at.getTime() - epoch.startedAt.getTime()
  const unit = judge?.unit ?? 'request'
  return planReply({
    plan: planGate({ settings, assumed }),
    judge,
    settings,
    assumed,
    scoredPerHour: scoredPerHour({ arms, elapsedMs, percent: judge?.percent ?? 0, unit }),
    requestsPerHour: answersPerHour({ arms, elapsedMs }),
    shadow,
    running: { arms, startedAt: epoch.startedAt, at },
  })
}

function pairOf(interval: Interval): [number, number]
function pairOf(interval: Interval | null): [number, number] | null
function pairOf(interval: Interval | null): [number, number] | null {
  return interval === null ? null : [interval.low, interval.high]
}
