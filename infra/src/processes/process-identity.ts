import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Identifies a process also when the system gives its id to a later one. */
export interface ProcessIdentity {
  readonly pid: number
  /** Start time of the process, in the format of the system. */
  readonly started: string
}

/** Returns the identity of a running process, or null when no process has this id. */
export function identify(pid: number): ProcessIdentity | null {
  const started = existsSync('/proc/self/stat') ? startedFromProc(pid) : psField(pid, 'lstart')
  return started === null ? null : { pid, started }
}

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  const own = identify(process.pid)
  if (own === null) throw new Error('this process is not in the process table')
  return own
}

/** Whether this process still runs, and not a later one with its id. */
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

/** Child processes and their children. One whose parent has ended is not found. */
export function descendantsOf(pid: number): readonly ProcessIdentity[] {
  const children = new Map<number, number[]>()
  for (const [child, parent] of parentsOfAll()) children.set(parent, [...(children.get(parent) ?? []), child])
  const below = (parent: number): number[] => (children.get(parent) ?? []).flatMap((child) => [child, ...below(child)])
  return below(pid).flatMap((child) => identify(child) ?? [])
}

function parentsOfAll(): readonly (readonly [pid: number, parent: number])[] {
  if (!existsSync('/proc/self/stat')) {
    const { stdout } = spawnSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' })
    const rows = stdout
      .trim()
      .split('\n')
      .map((row) => row.trim().split(/\s+/).map(Number))
    return rows.map(([pid = 0, parent = 0]) => [pid, parent])
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    const parent = statFields(Number(pid))?.[1]
    return parent === undefined ? [] : [[Number(pid), Number(parent)] as const]
  })
}

/** Reads field 22 of /proc/<pid>/stat. A zombie counts as ended. */
function startedFromProc(pid: number): string | null {
  const fields = statFields(pid)
  return fields === null || fields[0] === 'Z' ? null : (fields[19] ?? null)
}

/** The fields of /proc/<pid>/stat from the third on; the second, the command's name, may contain spaces. */
function statFields(pid: number): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

function psField(pid: number, field: string): string | null {
  const { status, stdout } = spawnSync('ps', ['-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8' })
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : null
}
