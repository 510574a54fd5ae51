import type { VersionServer } from '@ratchet/contracts/fine-tuning-models'
import { fits, type Hardware } from '../dedicated/hardware.ts'

export interface ServingPlaces {
  /** Base models whose adapters engines of this installation share. */
  readonly poolBases: ReadonlySet<string>
  readonly hardware: readonly Hardware[]
}

/** What can serve the versions of a model of this installation. */
export function servedByOf({ poolBases, hardware }: ServingPlaces): (model: string) => readonly VersionServer[] {
  return (model) => [
    ...(poolBases.has(model) ? (['pool'] as const) : []),
    ...(hardware.some((kind) => fits(kind, model)) ? (['dedicated'] as const) : []),
  ]
}
