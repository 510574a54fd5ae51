import { checkCatalog } from '@ratchet/contracts/check-catalog'
import type { Answer } from '../answer.ts'
import { readLayers } from './catalog-layers.ts'

/** Checks the built-in catalog, alone or with the files that a deployment mounts over it. */
export async function catalogCheck(mounted: string | undefined): Promise<Answer> {
  const { models, providers, problems } = checkCatalog(await readLayers(mounted))
  const isSound = problems.length === 0
  return {
    json: { ok: isSound, providers: providers.length, models: models.length, problems },
    text: isSound ? `${models.length} models of ${providers.length} providers, no problems` : problems.join('\n'),
    ...(isSound ? {} : { exitCode: 1 as const }),
  }
}
