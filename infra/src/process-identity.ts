import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** A process that cannot be mistaken for a later one that got the same id. */
export interface ProcessIdentity {
  readonly pid: number
  /** When the process was started, in whatever form the system tells it. */
  readonly started: string
}

/** The identity of a running process, or null when there is none with this id. */
export function identify(pid: number): ProcessIdentity | null {
  const started = existsSync('/proc/self/stat') ? startedFromProc(pid) : psField(pid, 'lstart')
  return started === null ? null : { pid, started }
}

/** Whether exactly this process still runs. */
export function isRunning(process: ProcessIdentity): boolean {
  return identify(process.pid)?.started === process.started
}

/** The command line of a process, or null when there is none with this id. */
export function commandLineOf(pid: number): string | null {
  if (!existsSync('/proc/self/cmdline')) return psField(pid, 'command')
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return null
  }
}

/** Field 22 of stat, counted after the command name, which may itself hold spaces. A zombie counts as gone. */
function startedFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}

function psField(pid: number, field: string): string | null {
  const { status, stdout } = spawnSync('ps', ['-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8' })
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : null
}
