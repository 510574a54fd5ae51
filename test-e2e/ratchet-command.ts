import { execFile } from 'node:child_process'
import path from 'node:path'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { compileCache } from './compile-cache.ts'
import type { RunningFleet } from './shared-fleet/shared-fleet.ts'

const bin = path.join(import.meta.dirname, '..', 'packages', 'cli', 'bin', 'ratchet.mjs')

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `ratchet` with these arguments. */
export type Ratchet = (...words: readonly string[]) => Promise<Ran>

/** The command of this release for a fleet, with address and key only in the environment. */
export function ratchetOf({ url }: Pick<RunningFleet, 'url'>, { apiKey }: Pick<DemoWorkspace, 'apiKey'>): Ratchet {
  const { PATH } = process.env
  const env = { PATH, ...compileCache, RATCHET_BASE_URL: url, RATCHET_API_KEY: apiKey }
  return (...words) =>
    new Promise((resolve) => {
      execFile(process.execPath, [bin, ...words], { env }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr }),
      )
    })
}
