/** Figures of the kernel about one process. Times are clock ticks, user and system together. */
export interface ProcStat {
  readonly pid: number
  readonly parent: number
  readonly own: number
  /** Ticks of children that have ended and were waited for, and of such children of theirs. */
  readonly ended: number
}

/** Reads the text of `/proc/<pid>/stat` (proc_pid_stat(5)), whose second field may itself hold spaces and brackets. */
export function parseProcStat(text: string): ProcStat {
  const pid = Number.parseInt(text, 10)
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const field = (number: number) => fields[number - 3] ?? Number.NaN
  return { pid, parent: field(4), own: field(14) + field(15), ended: field(16) + field(17) }
}

/** Kilobytes of the largest resident set a process ever had, from the text of `/proc/<pid>/status`. */
export function parsePeakResidentKb(text: string): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(text)?.[1] ?? Number.NaN)
}

/**
 * Ticks used by a process and all its descendants since it started. A child that ends moves its time into its
 * parent's `ended`, so the sum never falls and no short-lived process is missed.
 */
export function ticksOfTree(root: number, processes: readonly ProcStat[]): number {
  const inside = new Set([root])
  // A parent may be listed after its child, so this repeats until no process is added.
  for (let size = 0; size !== inside.size; ) {
    size = inside.size
    for (const { pid, parent } of processes) if (inside.has(parent)) inside.add(pid)
  }
  return processes.reduce((sum, { pid, own, ended }) => (inside.has(pid) ? sum + own + ended : sum), 0)
}

/** Ticks that a core was neither idle nor waiting for a disk, from the text of `/proc/stat` (proc_stat(5)). */
export function busyTicksOfCore(text: string, core: string): number {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`cpu${core} `))
  const [user = Number.NaN, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] =
    line?.split(' ').slice(1).map(Number) ?? []
  return user + nice + system + irq + softIrq + steal
}
