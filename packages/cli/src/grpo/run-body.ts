import { readFile } from 'node:fs/promises'
import type { CreateGrpoRun } from '@ratchet/contracts/grpo-body'
import type { z } from 'zod'
import { CliError } from '../cli-error.ts'

/** Reads the body of a run. The service checks its fields. @throws CliError when the file is not a JSON object */
export async function readRunBody(path: string): Promise<z.input<typeof CreateGrpoRun>> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as z.input<typeof CreateGrpoRun>
  } catch (error) {
    throw new CliError(`${path} cannot be read as JSON: ${(error as Error).message}`)
  }
}
