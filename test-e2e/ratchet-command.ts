import { execFile } from 'node:child_process'
import path from 'node:path'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import type { Fleet } from './fleet.ts'

const bin = path.join(import.meta.dirname, '..', 'packages', 'cli', 'bin', 'ratchet.mjs')

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `ratchet` with these words, as whoever works there does. */
export type Ratchet = (...words: readonly string[]) => Promise<Ran>

/** The command of this release against a fleet, told where it is and who asks by the environment alone. */
export function ratchetOf({ url }: Pick<Fleet, 'url'>, { apiKey }: Pick<DemoWorkspace, 'apiKey'>): Ratchet {
  const env = { PATH: process.env.PATH, RATCHET_BASE_URL: url, RATCHET_API_KEY: apiKey }
  return (...words) =>
    new Promise((resolve) => {
      execFile(process.execPath, [bin, ...words], { env }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr }),
      )
    })
}
