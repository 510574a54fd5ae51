import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

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

/** The processes below this one, as long as the ones between still run. */
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

/** Field 22 of stat. A zombie counts as gone. */
function startedFromProc(pid: number): string | null {
  const fields = statFields(pid)
  return fields === null || fields[0] === 'Z' ? null : (fields[19] ?? null)
}

/** The fields of stat from the third on: the second, the command's name, may itself hold spaces. */
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
