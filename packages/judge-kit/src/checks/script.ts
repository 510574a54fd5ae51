import { scriptLimits } from '@ratchet/contracts/criterion-checks'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { createTurnThread, ThreadEnded } from '@ratchet/service-kit/threads/turn-thread'

export interface ScriptTask {
  readonly source: string
  /** What `check` is called with, JSON values; null: it is only compiled. */
  readonly answer: unknown
}

export type ScriptResult =
  /** `reason` in the words of the script, at most 500 characters. */
  | { readonly kind: 'ran'; readonly pass: boolean; readonly reason: string | null }
  /** It could not be compiled, threw, took too long or too much, or returned something else. */
  | { readonly kind: 'failed'; readonly problem: string }

/**
 * Runs the script of a workspace in a sandbox: an interpreter in WebAssembly, on a thread of its own, without network, files, clock
 * and random numbers. Scripts of a workspace wait for each other, and take turns with those of others.
 *
 * @throws ServiceError `service_unavailable` when too many scripts of the workspace wait
 */
export type RunScript = (workspaceId: string, task: ScriptTask) => Promise<ScriptResult>

/**
 * A script that its interpreter cannot stop ends with the thread: one call of a built-in function, such as a search in a long text,
 * is never interrupted. The interpreter stops all others sooner.
 */
const limits = { ms: 60_000, cpuMs: scriptLimits.ms + 1_000, heapMb: 128 }
const maxWaitMs = 120_000
const maxWaitingOfWorkspace = 200

export function createScripts(onStop: OnStop): RunScript {
  const thread = createTurnThread<ScriptTask, ScriptResult>({
    task: new URL('./script-task.ts', import.meta.url),
    name: 'runScriptTask',
    onStop,
    maxWaitMs,
    maxWaitingOfWorkspace,
    limits,
    isLong: ({ answer }) => answer !== null,
  })
  return async (workspaceId, task) => {
    try {
      return await thread.run(workspaceId, task)
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error
      return { kind: 'failed', problem: error.lack === 'time' ? 'it takes too long' : 'it needs too much memory' }
    }
  }
}
