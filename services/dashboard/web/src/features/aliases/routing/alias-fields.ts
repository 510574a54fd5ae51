import type { AliasValues } from './alias-values.ts'

export type FieldName = keyof typeof labels

const labels = {
  name: 'Name',
  description: 'Description',
  target_model: 'Target',
  canary_model: 'Canary',
  canary_percent: 'Share of the canary',
  sticky_by: 'Split by',
  family_rules: 'Prompt families',
  gate_criterion_id: 'Judge of the gate',
  gate_mode: 'Gate',
  margin: 'Margin',
  confidence: 'Confidence',
  gate_window_hours: 'Hours to decide',
  gate_min_samples_per_arm: 'Scored answers before a promotion',
  error_increase: 'Guard: more errors',
  latency_ratio: 'Guard: slower',
  cost_ratio: 'Guard: dearer',
  shadow_model: 'Shadow',
  shadow_percent: 'Share of the shadow',
  require_evidence: 'Evidence for a new target',
} as const

const fieldNames = Object.keys(labels) as readonly FieldName[]

/** A setting that differs between two versions of an alias. */
export interface FieldChange {
  readonly name: FieldName
  readonly label: string
  readonly before: string
  readonly after: string
}

/** Words for values that are ids. */
export interface FieldWords {
  readonly judge: (id: string) => string
  readonly family: (segment: string) => string
}

/** What differs between two versions, in the order of the form. */
export function changedFields(before: AliasValues, after: AliasValues, words: FieldWords): readonly FieldChange[] {
  return fieldNames.flatMap((name) => {
    if (isSame(before[name], after[name])) return []
    return [{ name, label: labels[name], before: textOf(name, before, words), after: textOf(name, after, words) }]
  })
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(comparable(one)) === JSON.stringify(comparable(other))
}

/** A number field holds text while it is typed in. */
function comparable(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value
}

const units: Partial<Record<FieldName, string>> = {
  canary_percent: ' %',
  shadow_percent: ' %',
  confidence: ' %',
  margin: ' points',
  gate_window_hours: ' h',
  error_increase: ' points',
  latency_ratio: ' times',
  cost_ratio: ' times',
}

const choices: Readonly<Record<string, string>> = {
  request: 'request',
  trace: 'trace',
  recommend: 'recommends',
  auto: 'acts by itself',
  workspace: 'as the workspace says',
  yes: 'required',
  no: 'not required',
}

const chosen: ReadonlySet<FieldName> = new Set(['sticky_by', 'gate_mode', 'require_evidence'])

function textOf(name: FieldName, values: AliasValues, words: FieldWords): string {
  if (name === 'family_rules') {
    const rules = values.family_rules.map(
      ({ segment, model }) => `${words.family(segment)}: ${model === '' ? 'in the split' : model}`,
    )
    return rules.length === 0 ? 'none' : rules.join('; ')
  }
  const text = String(values[name])
  if (text === '') return 'none'
  if (name === 'gate_criterion_id') return words.judge(text)
  if (chosen.has(name)) return choices[text] ?? text
  return `${text}${units[name] ?? ''}`
}
