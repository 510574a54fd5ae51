import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { type CatalogSource, checkCatalog } from '@ratchet/contracts/check-catalog'
import type { Answer } from './answer.ts'
import { CliError } from './cli-error.ts'
import { repositoryRoot } from './fleet-file.ts'

const shippedFolder = path.join(repositoryRoot, 'services', 'inference', 'catalog')

/** Checks the built-in catalog, alone or with the files that a deployment mounts over it. */
export async function catalogCheck(mounted: string | undefined): Promise<Answer> {
  const layers = [await readLayer(shippedFolder), ...(mounted === undefined ? [] : [await readLayer(mounted)])]
  const { models, providers, problems } = checkCatalog(layers)
  const isSound = problems.length === 0
  return {
    json: { ok: isSound, providers: providers.length, models: models.length, problems },
    text: isSound ? `${models.length} models of ${providers.length} providers, no problems` : problems.join('\n'),
    ...(isSound ? {} : { exitCode: 1 as const }),
  }
}

/** All catalog files of a folder, or one file. */
async function readLayer(place: string): Promise<CatalogSource[]> {
  try {
    const files = (await stat(place)).isDirectory() ? await filesIn(place) : [place]
    return await Promise.all(
      files.map(async (file) => ({ name: path.basename(file), text: await readFile(file, 'utf8') })),
    )
  } catch (cause) {
    throw new CliError(`[folder]: ${place} cannot be read: ${(cause as Error).message}`, { exitCode: 2, cause })
  }
}

/** Skips hidden files, as the service does. */
async function filesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json') && !name.startsWith('.'))
  if (names.length === 0) throw new Error('it has no .json file')
  return names.sort().map((name) => path.join(folder, name))
}
