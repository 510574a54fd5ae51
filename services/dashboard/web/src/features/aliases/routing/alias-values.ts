import { AliasSettings, type PutAlias } from '@ratchet/contracts/aliases'
import type { z } from 'zod'

/** Settings of an alias as its form has them: an empty text is none. */
export interface AliasValues extends Record<string, unknown> {
  readonly name: string
  readonly description: string
  readonly target_model: string
  readonly canary_model: string
  readonly canary_percent: number | string
  readonly sticky_by: AliasSettings['sticky_by']
  readonly family_rules: readonly FamilyValue[]
  readonly gate_criterion_id: string
  readonly gate_mode: '' | 'recommend' | 'auto'
  /** Points of per cent. */
  readonly margin: number | string
  /** Per cent. */
  readonly confidence: number | string
  readonly gate_window_hours: number | string
  readonly gate_min_samples_per_arm: number | string
  /** Points of per cent. */
  readonly error_increase: number | string
  readonly latency_ratio: number | string
  readonly cost_ratio: number | string
  readonly shadow_model: string
  readonly shadow_percent: number | string
  readonly require_evidence: 'workspace' | 'yes' | 'no'
}

interface FamilyValue {
  readonly segment: string
  /** Empty: a place in the split. */
  readonly model: string
}

/** The settings of a new alias: the defaults of the contract. */
export const usualSettings: AliasSettings = {
  ...AliasSettings.parse({ name: 'usual', target_model: 'usual' }),
  name: '',
  target_model: '',
}

export function valuesOf(settings: AliasSettings): AliasValues {
  const guard = settings.gate_guard
  return {
    name: settings.name,
    description: settings.description ?? '',
    target_model: settings.target_model,
    canary_model: settings.canary_model ?? '',
    canary_percent: settings.canary_percent,
    sticky_by: settings.sticky_by,
    family_rules: settings.family_rules.map(({ segment, model }) => ({ segment, model: model ?? '' })),
    gate_criterion_id: settings.gate_criterion_id ?? '',
    gate_mode: settings.gate_mode ?? '',
    margin: hundred(settings.gate_rollback_threshold),
    confidence: hundred(settings.gate_confidence),
    gate_window_hours: settings.gate_window_hours,
    gate_min_samples_per_arm: settings.gate_min_samples_per_arm,
    error_increase: hundredOr(guard?.max_error_rate_increase),
    latency_ratio: guard?.max_latency_ratio ?? '',
    cost_ratio: guard?.max_cost_ratio ?? '',
    shadow_model: settings.shadow_model ?? '',
    shadow_percent: settings.shadow_percent,
    require_evidence: settings.require_evidence === null ? 'workspace' : settings.require_evidence ? 'yes' : 'no',
  }
}

/** The whole alias, as it is sent. */
export function bodyOf(values: AliasValues): z.input<typeof PutAlias> {
  const guard = {
    max_error_rate_increase: shareOrNull(values.error_increase),
    max_latency_ratio: numberOrNull(values.latency_ratio),
    max_cost_ratio: numberOrNull(values.cost_ratio),
  }
  return {
    name: values.name.trim(),
    description: textOrNull(values.description),
    target_model: values.target_model.trim(),
    canary_model: textOrNull(values.canary_model),
    canary_percent: Number(values.canary_percent),
    sticky_by: values.sticky_by,
    family_rules: values.family_rules.map(({ segment, model }) => ({ segment, model: textOrNull(model) })),
    gate_criterion_id: textOrNull(values.gate_criterion_id),
    gate_mode: values.gate_mode === '' ? null : values.gate_mode,
    gate_rollback_threshold: share(values.margin),
    gate_confidence: share(values.confidence),
    gate_window_hours: Number(values.gate_window_hours),
    gate_min_samples_per_arm: Number(values.gate_min_samples_per_arm),
    gate_guard: Object.values(guard).every((limit) => limit === null) ? null : guard,
    shadow_model: textOrNull(values.shadow_model),
    shadow_percent: Number(values.shadow_percent),
    require_evidence: { workspace: null, yes: true, no: false }[values.require_evidence],
  }
}

/** Without the errors of binary fractions: 0.07 is 7, not 7.000000000000001. */
function hundred(value: number): number {
  return Number((value * 100).toFixed(8))
}

function hundredOr(value: number | null | undefined): number | '' {
  return value === null || value === undefined ? '' : hundred(value)
}

function share(value: number | string): number {
  return Number((Number(value) / 100).toFixed(10))
}

function shareOrNull(value: number | string): number | null {
  return value === '' ? null : share(value)
}

function numberOrNull(value: number | string): number | null {
  return value === '' ? null : Number(value)
}

function textOrNull(value: string): string | null {
  const text = value.trim()
  return text === '' ? null : text
}
