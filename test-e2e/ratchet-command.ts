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

/**
 * The command of this release for a fleet, with address and key only in the environment.
 *
 * @param input what is piped into it
 */
export function ratchetOf(
  { url }: Pick<RunningFleet, 'url'>,
  { apiKey }: Pick<DemoWorkspace, 'apiKey'>,
  input?: string,
): Ratchet {
  return ratchetWith({ RATCHET_BASE_URL: url, RATCHET_API_KEY: apiKey }, input)
}

/** The command as the operator of a fleet with a dashboard runs it. */
export function operatorOf({ url, databaseUrl }: Pick<RunningFleet, 'url' | 'databaseUrl'>): Ratchet {
  return ratchetWith({ DATABASE_URL: databaseUrl, DASHBOARD_ORIGIN: url.replace('127.0.0.1', 'localhost') })
}

function ratchetWith(settings: Readonly<Record<string, string>>, input?: string): Ratchet {
  const { PATH } = process.env
  const env = { PATH, ...compileCache, ...settings }
  return (...words) =>
    new Promise((resolve) => {
      const child = execFile(process.execPath, [bin, ...words], { env }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr }),
      )
      if (input !== undefined) child.stdin?.end(input)
    })
}
