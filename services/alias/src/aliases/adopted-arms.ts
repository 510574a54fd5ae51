import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { Arm } from '@ratchet/contracts/internal-alias'

/** A model that gets a share of the requests of an alias. */
export interface ServedArm {
  readonly model: string
  readonly arm: Arm
  /** From 1. */
  readonly percent: number
}

/** Whether a model has the name of a model version. */
export function isVersionName(model: string): boolean {
  return model.startsWith('ft:')
}

/** The arms that get requests. */
export function servedArms({ target_model, canary_model, canary_percent }: AliasSettings): readonly ServedArm[] {
  const ofCanary = canary_model === null ? 0 : canary_percent
  return [
    { model: target_model, arm: 'target' as const, percent: 100 - ofCanary },
    ...(canary_model === null ? [] : [{ model: canary_model, arm: 'canary' as const, percent: ofCanary }]),
  ].filter(({ percent }) => percent > 0)
}

/** The model versions that get requests after a change, and did not before it. */
export function adoptedArms(before: AliasSettings | null, after: AliasSettings | null): readonly ServedArm[] {
  const known = new Set(before === null ? [] : servedArms(before).map(({ model }) => model))
  const arms = after === null ? [] : servedArms(after)
  return arms.filter(({ model }) => isVersionName(model) && !known.has(model))
}
