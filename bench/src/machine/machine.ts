import { spawnSync } from 'node:child_process'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import { findProgram } from '@ratchet/infra/processes/find-program'

/** The cores of the target and of the load; null when processes cannot be pinned (one core, or no `taskset`). */
export interface CorePlan {
  /** Path of the program that pins. */
  readonly taskset: string
  readonly target: string
  readonly load: string
}

/** One core for the target under load, the others for the load and the upstream. */
export function planCores(): CorePlan | null {
  const cores = availableParallelism()
  const taskset = findProgram('taskset')
  if (cores < 2 || taskset === null) return null
  return { taskset, target: '0', load: cores === 2 ? '1' : `1-${cores - 1}` }
}

/** Moves this process and all its future children to cores other than the target's. */
export function moveToLoadCores(plan: CorePlan): void {
  spawnSync(plan.taskset, ['-a', '-p', '-c', plan.load, String(process.pid)], { stdio: 'ignore' })
}

/** One line about the machine, for the head of a report. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memoryGb = Math.round(totalmem() / 1_073_741_824)
  return `${cpus().length} × ${model}, ${memoryGb} GB, ${type()} ${release()}`
}
