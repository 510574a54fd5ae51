import type { ArmAnswer, ArmRecorder } from '../routing/arm-recorder.ts'
import type { ChosenArm, ChosenRoute } from '../workspace-settings/alias-route.ts'
import type { Candidates } from './call-models.ts'

/**
 * Counts the outcome of a request that was assigned to an arm of an alias. It records one outcome at most. A client that
 * disconnects and an error of the gateway itself say nothing about the arm, so they are not recorded.
 */
export interface ArmWatch {
  /** The model of the arm is called. */
  served(): void
  /** A complete answer was charged; `servedModel` is the catalog id of the arm's model or of a fallback. */
  answered(servedModel: string, answer: ArmAnswer): void
  /** No model gave a complete answer. */
  failed(): void
}

/**
 * Null for a request that named a model, and for one that a rule of its family took out of the split. The aliases of
 * fallbacks do not count: only the first name assigns an arm.
 */
export function watchArm(recorder: ArmRecorder, [{ request, alias: route }]: Candidates): ArmWatch | null {
  const alias = armOf(route)
  if (alias === null) return null
  const armModel = request.model.id
  recorder.assigned(alias)
  return {
    served: () => recorder.served(alias),
    answered(servedModel, answer) {
      if (servedModel === armModel) recorder.answered(alias, answer)
      else recorder.failed(alias)
    },
    failed: () => recorder.failed(alias),
  }
}

/** Records a failure for a request that the arm's model cannot take. */
export function countUnservable(recorder: ArmRecorder, route: ChosenRoute): void {
  const arm = armOf(route)
  if (arm === null) return
  recorder.assigned(arm)
  recorder.served(arm)
  recorder.failed(arm)
}

function armOf(route: ChosenRoute | null): ChosenArm | null {
  return route === null || route.arm === null ? null : { ...route, arm: route.arm }
}
