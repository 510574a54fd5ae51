import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuIsReadable, readProcesses } from '../measure/cpu-clock.ts'
import { machineTicks, type ProcStat } from '../measure/proc-stat.ts'

/** The processes of the machine at one time. */
export interface MachineState {
  readonly ticks: { readonly busy: number; readonly stolen: number; readonly all: number }
  readonly processes: readonly ProcStat[]
}

/** How much of the machine is in use, percent of all its cores. */
export interface MachineUse {
  readonly percent: number
  /** Time that the host gave to other virtual machines; a part of `percent`. */
  readonly stolenPercent: number
  /** Processes that used the most, in order. */
  readonly busiest: readonly { readonly name: string; readonly pid: number; readonly percent: number }[]
}

const maxPercent = 15
const watchMs = 3_000
const maxNamed = 5
const maxCommandCharacters = 60

/** Watches the machine for three seconds, in which this process sleeps; null where use cannot be read. */
export async function watchMachine(): Promise<MachineUse | null> {
  if (!cpuIsReadable) return null
  const before = readState()
  await sleep(watchMs)
  const use = machineUse(before, readState())
  return { ...use, busiest: use.busiest.map((each) => ({ ...each, name: commandOf(each.pid) ?? each.name })) }
}

/** The beginning of a command line, because all programs of Node have the same name; null for one that has ended. */
function commandOf(pid: number): string | null {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .split('\0')
      .filter((word) => !word.startsWith('-'))
    const [program = '', script = ''] = words.map((word) => path.basename(word))
    return `${program} ${script}`.trim().slice(0, maxCommandCharacters) || null
  } catch {
    return null
  }
}

/** What was in use between two states. */
export function machineUse(before: MachineState, after: MachineState): MachineUse {
  const all = after.ticks.all - before.ticks.all
  const share = (from: number, to: number) => (100 * Math.max(0, to - from)) / all
  const earlier = new Map(before.processes.map(({ pid, own }) => [pid, own]))
  const busiest = after.processes
    .map(({ pid, name, own }) => ({ name, pid, percent: share(earlier.get(pid) ?? 0, own) }))
    .filter(({ percent }) => percent >= 1)
    .sort((a, b) => b.percent - a.percent)
    .slice(0, maxNamed)
  const percent = share(before.ticks.busy, after.ticks.busy)
  return { percent, stolenPercent: share(before.ticks.stolen, after.ticks.stolen), busiest }
}

/** Why a benchmark must not start: other programs would change its figures. Null when it may. */
export function refusalOf({ percent, stolenPercent, busiest }: MachineUse): string | null {
  if (percent <= maxPercent) return null
  const processes = busiest.map((each) => `${each.name} (pid ${each.pid}) ${Math.round(each.percent)} %`)
  const host = stolenPercent >= 1 ? [`other virtual machines ${Math.round(stolenPercent)} %`] : []
  const users = [...processes, ...host]
  return [
    `Other programs use ${Math.round(percent)} % of the machine; the figures need one that is quiet (at most ${maxPercent} %).`,
    users.length === 0 ? 'No process is busy for long; many short ones are.' : `The busiest: ${users.join(', ')}.`,
    'Stop them, or run anyway with --force.',
  ].join(' ')
}

function readState(): MachineState {
  return { ticks: machineTicks(readFileSync('/proc/stat', 'utf8')), processes: readProcesses() }
}
