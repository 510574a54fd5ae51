/** Figures of the kernel about one process. Times are clock ticks, user and system together. */
export interface ProcStat {
  readonly pid: number
  readonly name: string
  readonly parent: number
  readonly own: number
  /** Ticks of children that have ended and were waited for, and of such children of theirs. */
  readonly ended: number
}

/** Reads the text of `/proc/<pid>/stat` (proc_pid_stat(5)), whose second field may itself hold spaces and brackets. */
export function parseProcStat(text: string): ProcStat {
  const pid = Number.parseInt(text, 10)
  const name = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'))
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const field = (number: number) => fields[number - 3] ?? Number.NaN
  return { pid, name, parent: field(4), own: field(14) + field(15), ended: field(16) + field(17) }
}

/** Kilobytes of the largest resident set a process ever had, from the text of `/proc/<pid>/status`. */
export function parsePeakResidentKb(text: string): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(text)?.[1] ?? Number.NaN)
}

/** Kilobytes of memory of a process, from the text of `/proc/<pid>/smaps_rollup`; a shared page counts in parts (PSS). */
export function parsePssKb(text: string): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? Number.NaN)
}

/**
 * The processes of each tree, by its name. A process belongs to its nearest ancestor among the roots, or to itself when it
 * is one of them, so that no process belongs to two.
 */
export function splitIntoTrees(
  roots: Readonly<Record<string, number>>,
  processes: readonly ProcStat[],
): Readonly<Record<string, readonly ProcStat[]>> {
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]))
  const rootPids = new Set(Object.values(roots))
  const rootAbove = (pid: number) => {
    let at: number | undefined = pid
    while (at !== undefined && !rootPids.has(at)) at = parents.get(at)
    return at
  }
  const owners = processes.map((each) => ({ each, root: rootAbove(each.pid) }))
  const membersOf = (root: number) => owners.filter((owner) => owner.root === root).map(({ each }) => each)
  return Object.fromEntries(Object.entries(roots).map(([name, root]) => [name, membersOf(root)]))
}

/**
 * Ticks used by processes since they started. A child that ends moves its time into its parent's `ended`, so the sum over
 * a tree never falls and no short-lived process is missed.
 */
export function ticksOf(processes: readonly ProcStat[]): number {
  return processes.reduce((sum, { own, ended }) => sum + own + ended, 0)
}

/** Ticks that a core was neither idle nor waiting for a disk, from the text of `/proc/stat` (proc_stat(5)). */
export function busyTicksOfCore(text: string, core: string): number {
  return readTicks(text, `cpu${core}`).busy
}

/** Ticks of all cores together: busy ones, those that another virtual machine had meanwhile, and all. */
export function machineTicks(text: string): { busy: number; stolen: number; all: number } {
  return readTicks(text, 'cpu')
}

function readTicks(text: string, label: string): { busy: number; stolen: number; all: number } {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${label} `))
  const [user = Number.NaN, nice = 0, system = 0, idle = 0, ioWait = 0, irq = 0, softIrq = 0, stolen = 0] =
    line?.trim().split(/ +/).slice(1).map(Number) ?? []
  const busy = user + nice + system + irq + softIrq + stolen
  return { busy, stolen, all: busy + idle + ioWait }
}
