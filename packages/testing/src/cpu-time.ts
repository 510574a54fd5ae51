/**
 * Milliseconds of processor time that the calling thread spends on the work. Unlike the time on the clock it does not
 * include the time of other processes, so a limit on it also holds on a busy machine.
 */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/**
 * Milliseconds of processor time of one run, as the mean over enough runs for the resolution of the system, which is
 * some milliseconds.
 */
export function meanCpuMs(work: () => unknown, minTotalMs = 30): number {
  let runs = 0
  let totalMs = 0
  const before = process.threadCpuUsage()
  while (totalMs < minTotalMs) {
    work()
    runs += 1
    const { user, system } = process.threadCpuUsage(before)
    totalMs = (user + system) / 1_000
  }
  return totalMs / runs
}

/** The fastest of several runs, because the first ones run before the code is compiled. */
export function fastestCpuMs(runs: number, work: () => unknown): number {
  return Math.min(...Array.from({ length: runs }, () => cpuMs(work)))
}
