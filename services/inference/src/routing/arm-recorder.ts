import type { ChosenArm } from '../workspace-settings/alias-route.ts'

/** What an answer of an arm's own model cost and took. */
export interface ArmAnswer {
  readonly costNano: bigint
  /** Milliseconds from the request until the answer was whole. */
  readonly latencyMs: number
}

/** Counts what comes by on the arms of aliases. Nothing about it makes a request wait, or fail. */
export interface ArmRecorder {
  /** A request fell to the arm. */
  assigned(arm: ChosenArm): void
  /** Its model was asked. */
  served(arm: ChosenArm): void
  /** Its model failed: another one answered, or none. */
  failed(arm: ChosenArm): void
  /** Its model answered. */
  answered(arm: ChosenArm, answer: ArmAnswer): void
}

/** What the reporting of these counts tells its operators. */
export type AliasTrafficEvent =
  | { readonly kind: 'reported' }
  /** The alias service does not answer: what is counted waits. */
  | { readonly kind: 'away'; readonly cause: unknown }
  | { readonly kind: 'back' }
  /** It will never take a report, which is given up. */
  | { readonly kind: 'refused'; readonly arms: number; readonly cause: unknown }
  /** The process ended before it took everything. */
  | { readonly kind: 'lost'; readonly arms: number }
