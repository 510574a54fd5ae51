import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { CliError } from './cli-error.ts'
import { type CliIo, envValue } from './cli-io.ts'

export const repositoryRoot = path.join(import.meta.dirname, '..', '..', '..')

/** The fields that this command reads of the file that `npm start` writes. */
const FleetFile = z.object({
  base_url: z.url(),
  api_key: z.string().nullish(),
  dashboard_url: z.url().nullish(),
  database_url: z.string(),
  simulated_provider_url: z.url().nullish(),
  workspace: z.string(),
  pids: z.record(z.string(), z.int()).nullish(),
})
export type FleetFile = z.infer<typeof FleetFile>

/**
 * Reads `fleet.json` of the data folder (`RATCHET_DATA_DIR`, else `.data`); null when there is none.
 *
 * @throws CliError for a malformed file
 */
export async function readFleetFile(env: CliIo['env']): Promise<FleetFile | null> {
  return readDataFile(env, 'fleet.json', FleetFile)
}

/** The fields that this command reads of the secrets of `npm start`. */
const SecretsFile = z.object({ encryption_keys: z.string() })

/**
 * Reads the encryption keys of the fleet of `npm start`, in the format of ENCRYPTION_KEYS; null when there are none.
 *
 * @throws CliError for a malformed file
 */
export async function readFleetEncryptionKeys(env: CliIo['env']): Promise<string | null> {
  return (await readDataFile(env, 'secrets.json', SecretsFile))?.encryption_keys ?? null
}

async function readDataFile<T>(env: CliIo['env'], name: string, schema: z.ZodType<T>): Promise<T | null> {
  const file = path.resolve(repositoryRoot, envValue(env, 'RATCHET_DATA_DIR') ?? '.data', name)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new CliError(`${file} cannot be read: ${(error as Error).message}`, { cause: error })
  }
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    throw new CliError(`${file} is not a file that \`npm start\` wrote`, { cause })
  }
}
