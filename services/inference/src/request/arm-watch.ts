import type { ArmAnswer, ArmRecorder } from '../routing/arm-recorder.ts'
import type { ProviderRequest } from '../wire/provider.ts'
import type { ChosenArm } from '../workspace-settings/alias-route.ts'
import type { Candidates } from './plan-candidates.ts'

/**
 * Follows a request that fell to an arm of an alias. It is told of one end at most: of a client that leaves, and of
 * what goes wrong on our side, it is told of none.
 */
export interface ArmWatch {
  /** The arm's model is asked. */
  served(): void
  /** A whole answer was charged, of the arm's model or of a fallback in its place. */
  answered(by: ProviderRequest, answer: ArmAnswer): void
  /** No model gave a whole answer. */
  failed(): void
}

/** Null for a request that named a model. What its fallbacks were called does not matter: it fell to the first name's arm. */
export function watchArm(recorder: ArmRecorder, [{ request: requested, alias }]: Candidates): ArmWatch | null {
  if (alias === null) return null
  recorder.assigned(alias)
  return {
    served: () => recorder.served(alias),
    answered(by, answer) {
      if (by.model.id === requested.model.id) recorder.answered(alias, answer)
      else recorder.failed(alias)
    },
    failed: () => recorder.failed(alias),
  }
}

/** A request that fell to an arm whose model cannot take it. */
export function countUnasked(recorder: ArmRecorder, arm: ChosenArm): void {
  recorder.assigned(arm)
  recorder.served(arm)
  recorder.failed(arm)
}
