import type { Target } from '../targets/target.ts'
import { busyMsOfCore, cpuIsReadable, cpuMsOf, sumMs, untilIdle } from './cpu-clock.ts'

/** The values that one step measures at one target, by figure. */
export type Figures = Readonly<Record<string, number>>

export interface CpuUse {
  /** Milliseconds of each process of the target; empty where it cannot be read. */
  readonly cpuMs: Figures
  /** Share of the target's core that other processes used; empty when there is no such core. */
  readonly others: Figures
}

/** A figure of the machine, not of the target: CPU of other processes, percent of the target's core. */
export const othersFigure = 'others-percent'

/**
 * Runs a load and returns the CPU time that the target used for it, including work after the last request: until the log
 * is stored, for a target that has one.
 *
 * @param core the one core that the target runs on; null when it is not pinned
 */
export async function watchCpu<T>(
  { target, core }: { target: Pick<Target, 'id' | 'processes' | 'drained'>; core: string | null },
  runLoad: () => Promise<T>,
): Promise<{ result: T; use: CpuUse }> {
  if (!cpuIsReadable) return { result: await runLoad(), use: { cpuMs: {}, others: {} } }
  const read = () => ({
    cpuMs: cpuMsOf(target.processes),
    coreMs: core === null ? 0 : busyMsOfCore(core),
    atMs: performance.now(),
  })
  const before = read()
  const result = await runLoad()
  await (target.drained?.() ?? untilIdle(target.processes))
  const after = read()
  const cpuMs = Object.fromEntries(
    Object.entries(after.cpuMs).map(([name, ms]) => [name, ms - (before.cpuMs[name] ?? 0)]),
  )
  const ownMs = target.id === 'direct' ? 0 : sumMs(cpuMs)
  const othersMs = Math.max(0, after.coreMs - before.coreMs - ownMs)
  const others = core === null ? {} : { [othersFigure]: (100 * othersMs) / (after.atMs - before.atMs) }
  return { result, use: { cpuMs, others } }
}

/** CPU microseconds per piece of work: `name` for all processes together, `name of edge` for one of several. */
export function cpuFigures(name: string, { cpuMs }: CpuUse, count: number): Figures {
  const entries = Object.entries(cpuMs)
  if (entries.length === 0) return {}
  const byProcess = entries.map(([process, ms]) => [`${name} of ${process}`, (ms * 1_000) / count] as const)
  return { [name]: (sumMs(cpuMs) * 1_000) / count, ...(entries.length === 1 ? {} : Object.fromEntries(byProcess)) }
}
