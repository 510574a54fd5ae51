import { readFileSync } from 'node:fs'
import { elapse } from '@ratchet/testing/elapse'
import type { FleetProcess } from '../start-process.ts'

/** Bytes of memory that a process occupies now. */
function residentBytes({ pid }: Pick<FleetProcess, 'pid'>): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  if (kibibytes === undefined) throw new Error(`process ${pid} has no memory figure`)
  return Number(kibibytes) * 1_024
}

/** Largest growth of any of the processes while `during` ran, megabytes. */
export async function memoryGrowthMb(
  processes: readonly FleetProcess[],
  during: () => Promise<unknown>,
): Promise<number> {
  const before = processes.map(residentBytes)
  let maxBytes = 0
  let over = false
  const watch = (async () => {
    while (!over) {
      for (const [i, process] of processes.entries()) {
        maxBytes = Math.max(maxBytes, residentBytes(process) - (before[i] ?? 0))
      }
      await elapse(50)
    }
  })()
  try {
    await during()
  } finally {
    over = true
    await watch
  }
  return Math.round(maxBytes / 1_048_576)
}
