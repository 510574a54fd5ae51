import { rmSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { readJson, writePrivateJson } from '../fleet/fleet-file.ts'
import { takesConnections } from '../stores/start-postgres.ts'
import type { StoreVariables } from './test-stores.ts'

/** Folder of the servers of `npm run stores`. */
export const sharedStoresFolder = path.join(repositoryRoot, '.test-stores')

const file = path.join(sharedStoresFolder, 'stores.json')

/** Writes the addresses of the servers to a file, where later test runs find them. */
export function announceStores(env: StoreVariables): void {
  writePrivateJson(file, env)
}

export function withdrawStores(): void {
  rmSync(file, { force: true })
}

/** Returns the servers of `npm run stores`, or null when they do not run. */
export async function findSharedStores(): Promise<StoreVariables | null> {
  const env = readJson<StoreVariables>(file)
  return env !== null && (await takesConnections(env.TEST_DATABASE_URL)) ? env : null
}
