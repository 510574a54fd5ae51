import type { SampleFilters } from '@ratchet/contracts/internal-logs'
import type { Suggestion } from './suggestion.ts'

/** What was asked for. */
export interface SuggestionRequest {
  readonly filters: SampleFilters
  readonly maxSuggestions: number
}

/** What came of it. */
export interface SuggestionResult {
  readonly gradedFails: number
  readonly exchanges: number
  readonly suggestions: readonly Suggestion[]
  /** Nano-dollars, in digits. */
  readonly costNano: string
}
