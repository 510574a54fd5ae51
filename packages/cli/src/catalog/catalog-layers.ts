import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { CatalogSource } from '@ratchet/contracts/check-catalog'
import { CliError } from '../cli-error.ts'
import { repositoryRoot } from '../fleet-file.ts'

const shippedFolder = path.join(repositoryRoot, 'services', 'inference', 'catalog')

/**
 * The built-in catalog, and the files that a deployment mounts over it.
 *
 * @param mounted a folder or a file
 * @throws CliError when it cannot be read
 */
export async function readLayers(mounted: string | undefined): Promise<CatalogSource[][]> {
  return [await readLayer(shippedFolder), ...(mounted === undefined ? [] : [await readLayer(mounted)])]
}

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
