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

/** A model version of which a change is noted. */
export interface AdoptedArm extends ServedArm {
  /** Whether it had a share of the requests before, and gets all of them now. */
  readonly promoted: boolean
}

const all = 100

/** The model versions that get requests after a change and did not before it, or get all of them and had a share before it. */
export function adoptedArms(before: AliasSettings | null, after: AliasSettings | null): readonly AdoptedArm[] {
  const known = new Map((before === null ? [] : servedArms(before)).map(({ model, percent }) => [model, percent]))
  const arms = after === null ? [] : servedArms(after)
  return arms
    .map((arm) => ({ ...arm, promoted: known.has(arm.model) }))
    .filter(({ model, percent, promoted }) => {
      return isVersionName(model) && (!promoted || (percent === all && known.get(model) !== all))
    })
}
