import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  busyTicksOfCore,
  type ProcStat,
  parsePeakResidentKb,
  parseProcStat,
  splitIntoTrees,
  ticksOf,
} from './proc-stat.ts'

/** True when this system has the CPU time of other processes in `/proc`. */
export const cpuIsReadable = existsSync('/proc/self/stat')

const tickMs = 1_000 / ticksPerSecond()
const idlePollMs = 250
const idleLimitMs = 5_000

/** Process ids by name. */
export type Roots = Readonly<Record<string, number>>

/** CPU milliseconds, user and system, of each of these processes with all its descendants, living and ended. */
export function cpuMsOf(roots: Roots): Readonly<Record<string, number>> {
  const trees = Object.entries(splitIntoTrees(roots, readProcesses()))
  return Object.fromEntries(trees.map(([name, members]) => [name, ticksOf(members) * tickMs]))
}

/** The sum of the times of all processes. */
export function sumMs(times: Readonly<Record<string, number>>): number {
  return Object.values(times).reduce((sum, ms) => sum + ms, 0)
}

/** Milliseconds that a core was not idle since the machine started, for all processes. */
export function busyMsOfCore(core: string): number {
  return busyTicksOfCore(readFileSync('/proc/stat', 'utf8'), core) * tickMs
}

/** Waits up to 5 s until work that continues after its requests has ended, because it is part of their cost. */
export async function untilIdle(roots: Roots): Promise<void> {
  const deadline = performance.now() + idleLimitMs
  for (let before = sumMs(cpuMsOf(roots)); performance.now() < deadline; ) {
    await sleep(idlePollMs)
    const now = sumMs(cpuMsOf(roots))
    if (now - before <= tickMs) return
    before = now
  }
}

/** Peak resident memory of a process, megabytes. */
export function peakResidentMb(pid: number): number {
  return parsePeakResidentKb(readFileSync(`/proc/${pid}/status`, 'utf8')) / 1_024
}

/** All processes of the machine. */
export function readProcesses(): ProcStat[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      return [parseProcStat(readFileSync(`/proc/${name}/stat`, 'utf8'))]
    } catch {
      return [] // it ended meanwhile
    }
  })
}

function ticksPerSecond(): number {
  const { status, stdout } = spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })
  return status === 0 ? Number(stdout) : 100
}
