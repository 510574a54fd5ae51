import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseJson } from '@ratchet/service-kit/values/json'

/** Reads every JSON file of a folder and the folders in it; a file that is no JSON is read as null. */
export async function* readDatabaseFolder(folder: string): AsyncGenerator<unknown> {
  for await (const file of glob('**/*.json', { cwd: folder })) {
    yield parseJson(await readFile(path.join(folder, file), 'utf8')) ?? null
  }
}
