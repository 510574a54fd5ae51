import type { FieldErrors } from './alias-errors.ts'
import type { AliasValues } from './alias-values.ts'

/** What every part of the form gets. */
export interface FieldsProps {
  readonly values: AliasValues
  readonly change: (changed: Partial<AliasValues>) => void
  readonly errors: FieldErrors
  readonly isOff: boolean
}
