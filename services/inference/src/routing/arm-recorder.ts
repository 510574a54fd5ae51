import type { ChosenArm } from '../workspace-settings/alias-route.ts'

/** The cost and the latency of an answer of the arm's own model. */
export interface ArmAnswer {
  readonly costNano: bigint
  /** Milliseconds from the request until the answer was complete. */
  readonly latencyMs: number
}

/** Counts the traffic on the arms of aliases. It never delays or fails a request. */
export interface ArmRecorder {
  /** A request was assigned to the arm. */
  assigned(arm: ChosenArm): void
  /** The arm's model was called. */
  served(arm: ChosenArm): void
  /** The arm's model failed; a fallback answered, or no model did. */
  failed(arm: ChosenArm): void
  /** The arm's model answered. */
  answered(arm: ChosenArm, answer: ArmAnswer): void
}

/** Events of the traffic reports for operators. */
export type AliasTrafficEvent =
  | { readonly kind: 'reported' }
  /** The alias service does not answer. The counts wait. */
  | { readonly kind: 'unavailable'; readonly cause: unknown }
  | { readonly kind: 'recovered' }
  /** The alias service refused a report, so it is dropped. */
  | { readonly kind: 'refused'; readonly arms: number; readonly cause: unknown }
  /** The process ended before the alias service accepted every count. */
  | { readonly kind: 'lost'; readonly arms: number }
