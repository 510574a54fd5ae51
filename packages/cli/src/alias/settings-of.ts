import { AliasSettings, type GateGuard } from '@ratchet/contracts/aliases'
import { type FamilyChange, familyChanges, fields, guardFields, noLimit } from './alias-options.ts'

/** The flags of `alias set`, as Commander parses them. */
export type SetOptions = Readonly<Record<string, unknown>>

/** Whether any setting was given. */
export function changesAnything(options: SetOptions): boolean {
  const { force: _force, reason: _reason, replace: _replace, ifMatch: _version, ...others } = options
  return Object.keys(others).length > 0
}

const defaults = AliasSettings.parse({ name: 'any', target_model: 'any' })

/** Default settings of a new alias, without a target. */
export function defaultSettings(name: string): AliasSettings {
  return { ...defaults, name, target_model: '' }
}

/** Applies the flags to settings: first those that remove, then those that set. */
export function settingsOf(before: AliasSettings, options: SetOptions): AliasSettings {
  const cleared: AliasSettings = {
    ...before,
    ...(options.canary === false ? { canary_model: null, canary_percent: 0 } : {}),
    ...(options.gate === false ? { gate_criterion_id: null, gate_mode: null, gate_guard: null } : {}),
    ...(options.shadow === false ? { shadow_model: null, shadow_percent: 0 } : {}),
    ...(typeof options.requireEvidence === 'boolean' ? { require_evidence: options.requireEvidence } : {}),
    ...(options.family === false ? { family_rules: [] } : {}),
  }
  const said = fields.flatMap(({ option, setting }) => {
    const value = options[option.attributeName()]
    return value === undefined || value === false ? [] : [[setting, value] as const]
  })
  const after: AliasSettings = { ...cleared, ...Object.fromEntries(said) }
  const guard = guardOf(cleared.gate_guard, options)
  // Without a mode the gate is off.
  const mode = options.gate === undefined || options.gate === false ? after.gate_mode : (after.gate_mode ?? 'recommend')
  const rules = rulesOf(cleared.family_rules, familyChanges(options.family))
  return { ...after, gate_guard: guard, gate_mode: mode, family_rules: rules }
}

function rulesOf(
  before: AliasSettings['family_rules'],
  changes: readonly FamilyChange[],
): AliasSettings['family_rules'] {
  return changes.reduce(
    (rules, { segment, rule }) => [
      ...rules.filter((each) => each.segment !== segment),
      ...(rule === null ? [] : [rule]),
    ],
    before,
  )
}

function guardOf(before: GateGuard | null, options: SetOptions): GateGuard | null {
  const said = guardFields.flatMap(({ option, setting }) => {
    const value = options[option.attributeName()]
    return value === undefined ? [] : [[setting, value === noLimit ? null : value] as const]
  })
  if (said.length === 0) return before
  const nothing: GateGuard = { max_error_rate_increase: null, max_latency_ratio: null, max_cost_ratio: null }
  const guard: GateGuard = { ...nothing, ...before, ...Object.fromEntries(said) }
  return Object.values(guard).every((limit) => limit === null) ? null : guard
}
