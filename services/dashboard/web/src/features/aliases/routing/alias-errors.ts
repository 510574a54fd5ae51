import type { AliasValues } from './alias-values.ts'

export type FieldErrors = Partial<Record<keyof AliasValues | 'reason', string>>

/** Fields of the form by the fields of the contract that have another name. */
const names: Readonly<Record<string, string>> = {
  gate_rollback_threshold: 'margin',
  gate_confidence: 'confidence',
  max_error_rate_increase: 'error_increase',
  max_latency_ratio: 'latency_ratio',
  max_cost_ratio: 'cost_ratio',
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The first thing that is wrong with each field of the form. */
export function errorsOf(issues: readonly Issue[]): FieldErrors {
  const found: Record<string, string> = {}
  for (const { path, message } of issues) {
    const name = String(path[0] === 'gate_guard' ? (path[1] ?? 'error_increase') : path[0])
    found[names[name] ?? name] ??= message
  }
  return found
}
