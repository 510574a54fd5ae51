import { isDatabaseUnavailable } from '@ratchet/service-kit/http/database-unavailable'
import type { OutcomeBatch } from './count-outcomes.ts'

export interface OutcomeReport extends OutcomeBatch {
  /** Identifies this process from its start to its end. */
  readonly reporter: string
  /** Grows with every report. */
  readonly number: number
}

export type OutcomeEvent =
  | { readonly kind: 'dropped' }
  | { readonly kind: 'unavailable'; readonly cause: unknown }
  | { readonly kind: 'recovered' }
  /** The database refuses a report, and would refuse it again. */
  | { readonly kind: 'refused'; readonly cause: unknown }

export interface OutcomeReportsOptions {
  readonly take: () => OutcomeBatch
  /** Stores a report; a second one with the same number, or a lower one, changes nothing. */
  readonly store: (report: OutcomeReport) => Promise<unknown>
  readonly reporter: string
  readonly onEvent: (event: OutcomeEvent) => void
}

/** Reports are numbered, and one that was not stored is sent again unchanged, so each counts once. */
export function createOutcomeReports({ take, store, reporter, onEvent }: OutcomeReportsOptions) {
  let number = 0
  let waiting: OutcomeReport | null = null
  let isUnavailable = false
  return {
    /** Stores what was counted. Call it periodically, never twice at once. Never rejects. */
    async report(): Promise<void> {
      if (waiting === null) {
        const batch = take()
        if (batch.counts.length === 0) return
        number += 1
        waiting = { ...batch, reporter, number }
      }
      try {
        await store(waiting)
        waiting = null
        if (isUnavailable) onEvent({ kind: 'recovered' })
        isUnavailable = false
      } catch (cause) {
        if (!isDatabaseUnavailable(cause)) {
          waiting = null
          return onEvent({ kind: 'refused', cause })
        }
        if (!isUnavailable) onEvent({ kind: 'unavailable', cause })
        isUnavailable = true
      }
    },
  }
}
