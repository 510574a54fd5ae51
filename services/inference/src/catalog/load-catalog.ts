import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type CatalogSource, checkCatalog } from '@ratchet/contracts/check-catalog'
import { type Catalog, createCatalog } from './catalog.ts'

/** The catalog that this service ships with. */
export const shippedCatalogDir = join(import.meta.dirname, '..', '..', 'catalog')

/** The simulated provider's models, which are loaded only on request. */
export const simulatedCatalogDir = join(shippedCatalogDir, 'simulated')

/**
 * Reads the shipped catalog and the files that a deployment mounts.
 *
 * @param mounted folders of catalog files, or single files; entries replace earlier ones with the same id
 * @throws Error listing every problem of every file
 */
export async function loadCatalog(...mounted: readonly string[]): Promise<Catalog> {
  const layers = await Promise.all([shippedCatalogDir, ...mounted].map(readSources))
  const checked = checkCatalog(layers)
  if (checked.problems.length > 0) {
    throw new Error(
      `the model catalog cannot be used:\n${checked.problems.map((problem) => `  ${problem}`).join('\n')}`,
    )
  }
  return createCatalog(checked)
}

/**
 * Every catalog file of a folder, or the single file.
 *
 * @throws Error when there is nothing to read
 */
export async function readSources(path: string): Promise<CatalogSource[]> {
  try {
    const files = (await stat(path)).isDirectory() ? await filesIn(path) : [path]
    return await Promise.all(files.map(async (file) => ({ name: basename(file), text: await readFile(file, 'utf8') })))
  } catch (cause) {
    throw new Error(`the model catalog at ${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    })
  }
}

/** Hidden names are ignored, because Kubernetes mounts a volume's real files under them. */
async function filesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json') && !name.startsWith('.'))
  return names.sort().map((name) => join(folder, name))
}
