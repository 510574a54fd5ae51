import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Plan } from '../plan.ts'
import type { Target } from '../targets/target.ts'
import { cpuMsOf, type Roots, readProcesses, sumMs } from './cpu-clock.ts'
import { parsePssKb, splitIntoTrees } from './proc-stat.ts'
import type { Figures } from './watch-cpu.ts'

/** The figures of one target. */
export interface TargetFigures {
  readonly target: Target
  readonly figures: Figures
}

/** CPU and memory of all targets at once, while none of them receives a request and after the last work has ended. */
export async function measureIdle(targets: readonly Target[], { idle }: Plan): Promise<TargetFigures[]> {
  await sleep(idle.restSeconds * 1_000)
  const before = targets.map(({ processes }) => sumMs(cpuMsOf(processes)))
  const startedAt = performance.now()
  await sleep(idle.seconds * 1_000)
  const seconds = (performance.now() - startedAt) / 1_000
  return targets.map((target, index) => {
    const cpuMs = sumMs(cpuMsOf(target.processes)) - (before[index] ?? 0)
    return { target, figures: { 'idle-cpu-ms': cpuMs / seconds, ...memoryFigures('idle-pss-mb', target.processes) } }
  })
}

/** Memory of all targets after their start, before the first request. */
export async function measureFreshMemory(targets: readonly Target[], { idle }: Plan): Promise<TargetFigures[]> {
  await sleep(idle.freshSeconds * 1_000)
  return targets.map((target) => ({ target, figures: memoryFigures('fresh-pss-mb', target.processes) }))
}

/** Megabytes: `name` for all processes together, `name of edge` for one of several. */
function memoryFigures(name: string, roots: Roots): Figures {
  const parts = Object.entries(splitIntoTrees(roots, readProcesses())).map(([process, members]) => {
    const kilobytes = members.reduce((sum, { pid }) => sum + pssKb(pid), 0)
    return [`${name} of ${process}`, kilobytes / 1_024] as const
  })
  const total = parts.reduce((sum, [, megabytes]) => sum + megabytes, 0)
  return { [name]: total, ...(parts.length === 1 ? {} : Object.fromEntries(parts)) }
}

/**
 * 0 for a process that has ended. Not a number where the kernel does not show it: memory of other users' processes is
 * readable by root only.
 */
function pssKb(pid: number): number {
  try {
    return parsePssKb(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
  } catch (error) {
    return ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '') ? 0 : Number.NaN
  }
}
