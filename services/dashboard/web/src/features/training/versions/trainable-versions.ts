import type { TrainableModel } from '@ratchet/contracts/fine-tuning-models'
import type { ModelVersion } from '@ratchet/contracts/model-versions'
import { versionTitle } from './version-words.ts'

interface Option {
  /** Id of the version. */
  readonly value: string
  readonly label: string
}

/** Versions whose training can go on: those with an adapter of one of the models. */
export function trainableVersions(
  versions: readonly Pick<ModelVersion, 'id' | 'name' | 'base_model' | 'adapter' | 'status' | 'step'>[],
  models: readonly Pick<TrainableModel, 'id'>[],
): Option[] {
  const bases = new Set(models.map(({ id }) => id))
  return versions
    .filter(({ base_model: base }) => bases.has(base))
    .filter(({ adapter, status }) => adapter !== null && status !== 'rejected' && status !== 'archived')
    .map((version) => ({ value: version.id, label: optionText(version) }))
}

/** Versions of one job have the same title, so their step is said too. */
function optionText(version: Pick<ModelVersion, 'name' | 'base_model' | 'step'>): string {
  return version.step === null ? versionTitle(version) : `${versionTitle(version)}, step ${version.step}`
}
