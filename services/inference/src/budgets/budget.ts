import type { BudgetPeriod } from '@ratchet/contracts/budget-window'

/** What a workspace, a key, an end user or a tag may spend in a period, as it is in force. */
export interface Budget {
  readonly id: string
  readonly scope: 'workspace' | 'key' | 'user' | 'tag'
  /** The id of the key, the end user, or the tag; `*`: each one for itself; empty for the workspace. */
  readonly subject: string
  readonly period: BudgetPeriod
  /** ≥ 1. */
  readonly amountNano: bigint
  /** The model or alias that answers while its maximum cost fits; null: the request is refused. */
  readonly fallbackModel: string | null
}

/** The subject of a budget of each one for itself. */
export const anyOne = '*'
