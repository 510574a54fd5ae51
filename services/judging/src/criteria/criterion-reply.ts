import type { Criterion } from '@ratchet/contracts/criteria'
import { nanoToUsd } from '@ratchet/contracts/money'
import { publicId } from '@ratchet/contracts/public-id'
import type { Evidence } from '../calibration/calibration-result.ts'
import { judgeAccuracy } from '../calibration/judge-accuracy.ts'
import { rightToAct } from '../calibration/right-to-act.ts'
import { detectableChance, detectableDays, detectableDrop, type Monitored } from '../drift/detectable-drop.ts'
import { actFields } from './act-fields.ts'
import type { StoredCriterion } from './criterion.ts'
import { repeatabilityField } from './repeatability-field.ts'
import { tierOf } from './tier.ts'

export interface CriterionFacts {
  /** Value of the current calibration; null without one. */
  readonly evidence: Evidence | null
  /** Cost of monitoring this week, nano-dollars. */
  readonly onlineSpentNano: bigint
  /** The part of it that was spent on judging graded rows again. */
  readonly panelSpentNano: bigint
  /** Null while the monitor is off, or has judged nothing. */
  readonly monitored: Monitored | null
}

export function criterionReply(
  criterion: StoredCriterion,
  { evidence, onlineSpentNano, panelSpentNano, monitored }: CriterionFacts,
): Criterion {
  return {
    object: 'criterion',
    id: publicId('criterion', criterion.id),
    name: criterion.name,
    description: criterion.description,
    kind: criterion.checks === null ? 'model' : 'code',
    judge_prompt: criterion.judgePrompt,
    judge_model: criterion.judgeModel,
    checks: criterion.checks === null ? null : [...criterion.checks],
    status: criterion.status,
    source: criterion.source,
    unit: criterion.unit,
    population: criterion.population,
    population_family: criterion.populationFamily,
    ...evidenceFields(evidence),
    ...actFields(rightToAct(evidence?.measures ?? null), isFlagged(criterion, evidence)),
    online_enabled: criterion.onlineEnabled,
    online_percent: criterion.onlinePercent,
    online_cap_usd: nanoToUsd(criterion.onlineCapNano),
    online_spent_usd: nanoToUsd(onlineSpentNano),
    ...driftFields(criterion, evidence),
    drift_detectable: detectableFields(evidence, monitored),
    drift_panel_spent_usd: nanoToUsd(panelSpentNano),
    created_at: criterion.createdAt.toISOString(),
  }
}

type DriftFields = Pick<
  Criterion,
  'drift_status' | 'drift_signal' | 'drift_cause' | 'drift_reason' | 'drift_checked_at'
>

/** A `stale` flag that is older than the current calibration concerns an earlier calibration. */
export function isFlagged(
  { driftSignal, driftCheckedAt }: Pick<StoredCriterion, 'driftSignal' | 'driftCheckedAt'>,
  evidence: Evidence | null,
): boolean {
  const isOutdated = evidence !== null && driftCheckedAt !== null && driftCheckedAt <= evidence.alignedAt
  return driftSignal !== null && !(driftSignal === 'stale' && isOutdated)
}

function driftFields(criterion: StoredCriterion, evidence: Evidence | null): DriftFields {
  const { driftSignal, driftCause, driftReason, driftCheckedAt } = criterion
  const drift_checked_at = driftCheckedAt?.toISOString() ?? null
  if (!isFlagged(criterion, evidence)) {
    return { drift_status: 'ok', drift_signal: null, drift_cause: null, drift_reason: null, drift_checked_at }
  }
  return {
    drift_status: 'flagged',
    drift_signal: driftSignal,
    drift_cause: driftCause,
    drift_reason: driftReason,
    drift_checked_at,
  }
}

function detectableFields(evidence: Evidence | null, monitored: Monitored | null): Criterion['drift_detectable'] {
  if (evidence === null || monitored === null) return null
  const drop = detectableDrop(monitored, judgeAccuracy(evidence.measures))
  if (drop === null) return null
  const { verdictsPerDay: verdicts_per_day } = monitored
  return { drop, within_days: detectableDays, chance: detectableChance, verdicts_per_day }
}

type EvidenceFields = Pick<
  Criterion,
  | 'tier'
  | 'trust'
  | 'tpr'
  | 'tnr'
  | 'tpr_ci'
  | 'tnr_ci'
  | 'kappa'
  | 'repeatability'
  | 'alignment_picked'
  | 'alignment_n'
  | 'aligned_at'
  | 'fail_grades_needed'
  | 'pass_grades_needed'
>

const unmeasured: EvidenceFields = {
  tier: 'unmeasured',
  trust: 'unmeasured',
  tpr: null,
  tnr: null,
  tpr_ci: null,
  tnr_ci: null,
  kappa: null,
  repeatability: null,
  alignment_picked: null,
  alignment_n: null,
  aligned_at: null,
  fail_grades_needed: null,
  pass_grades_needed: null,
}

function evidenceFields(evidence: Evidence | null): EvidenceFields {
  if (evidence === null) return unmeasured
  const { measures, alignedAt } = evidence
  const { tp, fn, fp, tn } = measures.confusion
  return {
    tier: tierOf(measures),
    trust: measures.trust,
    tpr: measures.tpr,
    tnr: measures.tnr,
    tpr_ci: measures.tprCi,
    tnr_ci: measures.tnrCi,
    kappa: measures.kappa,
    repeatability: repeatabilityField(evidence.repeats),
    alignment_picked: measures.picked === undefined ? null : measures.picked > 0,
    alignment_n: tp + fn + fp + tn,
    aligned_at: alignedAt.toISOString(),
    fail_grades_needed: measures.failGradesNeeded,
    pass_grades_needed: measures.passGradesNeeded,
  }
}
