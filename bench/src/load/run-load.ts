import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { ReadableError } from '@ratchet/infra/terminal/readable-error'
import type { ClosedLoopJob, ClosedLoopResult, LaneResult, OpenLoopJob } from './load-job.ts'

const run = promisify(execFile)

/** Runs a closed loop in a process of its own. */
export function runClosedLoop(job: ClosedLoopJob): Promise<ClosedLoopResult> {
  return runJob('closed-loop.ts', job)
}

/** Runs an open loop in a process of its own. */
export function runOpenLoop(job: OpenLoopJob): Promise<LaneResult[]> {
  return runJob('open-loop.ts', job)
}

/**
 * The number of failed requests, if so few failed that the others still show the cost of the target.
 *
 * @throws ReadableError when more than this share of them was not answered with a whole 200
 */
export function toleratedFailures(
  what: string,
  { failures, requests }: { failures: number; requests: number },
  share = 0.001,
): number {
  if (requests > 0 && failures <= requests * share) return failures
  throw new ReadableError(`${what}: ${failures} of ${requests} requests were not answered with a whole 200.`)
}

async function runJob<T>(script: string, job: ClosedLoopJob | OpenLoopJob): Promise<T> {
  const args = [path.join(import.meta.dirname, script), JSON.stringify(job)]
  const { stdout } = await run(process.execPath, args, { maxBuffer: 64 * 1_048_576 })
  return JSON.parse(stdout) as T
}
