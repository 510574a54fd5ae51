import type { EvalValues } from './eval-values.ts'

/** What every step of a new eval gets. */
export interface StepProps {
  readonly values: EvalValues
  readonly change: (changed: Partial<EvalValues>) => void
}
