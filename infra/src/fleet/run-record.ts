import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { claimFile } from '../processes/claim-file.ts'
import { identify, isRunning, ownIdentity, type ProcessIdentity } from '../processes/process-identity.ts'
import { readJson, writePrivateJson } from './fleet-file.ts'

/** Identifies the fleet that runs on a data folder, for a second start, a stop, and clean-up after a crash. */
export interface RunRecord {
  readonly supervisor: ProcessIdentity
  readonly children: Readonly<Record<string, ProcessIdentity>>
}

export type Claim = { readonly kind: 'claimed' } | { readonly kind: 'taken'; readonly supervisor: ProcessIdentity }

/**
 * Claims the folder for this process. Of several concurrent claims, one succeeds. Processes that a killed supervisor left
 * running are ended first.
 */
export async function claimRun(file: string, say: (text: string) => void): Promise<Claim> {
  const own: RunRecord = { supervisor: ownIdentity(), children: {} }
  for (;;) {
    // Leftovers are ended before their record is removed, so that the record is not lost while they run.
    const holder = claimFile(file, own, (record) => isRunning(record.supervisor) || leftoversOf(record).length > 0)
    if (holder === null) return { kind: 'claimed' }
    if (isRunning(holder.supervisor)) return { kind: 'taken', supervisor: holder.supervisor }
    await endLeftovers(holder, say)
  }
}

/** Records the process ids that run now. */
export function recordChildren(file: string, pids: Readonly<Record<string, number>>): void {
  const children = Object.entries(pids).flatMap(([name, pid]) => {
    const identity = identify(pid)
    return identity === null ? [] : [[name, identity] as const]
  })
  writePrivateJson(file, { supervisor: ownIdentity(), children: Object.fromEntries(children) } satisfies RunRecord)
}

export function releaseRun(file: string): void {
  rmSync(file, { force: true })
}

/** The supervisor of the fleet that runs on this folder, or null. */
export function runningSupervisor(file: string): ProcessIdentity | null {
  const record = readJson<RunRecord>(file)
  return record !== null && isRunning(record.supervisor) ? record.supervisor : null
}

/** Ends the processes of a killed supervisor, last started first, with SIGKILL after ten seconds. */
export async function endLeftovers(record: RunRecord, say: (text: string) => void): Promise<void> {
  const left = leftoversOf(record)
  if (left.length === 0) return
  say(`the previous fleet was killed; stopping its remaining processes (${left.map(([name]) => name).join(', ')})`)
  for (const [name, child] of left.reverse()) {
    // SIGINT is Postgres' fast shutdown; at SIGTERM it would wait for its clients to disconnect.
    process.kill(child.pid, name === 'postgres' ? 'SIGINT' : 'SIGTERM')
    for (let waitedMs = 0; isRunning(child); waitedMs += 50) {
      if (waitedMs === 2_000 && name !== 'postgres') process.kill(child.pid, 'SIGTERM')
      if (waitedMs === 10_000) process.kill(child.pid, 'SIGKILL')
      await sleep(50)
    }
  }
}

function leftoversOf({ children }: RunRecord) {
  return Object.entries(children).filter(([, child]) => isRunning(child))
}
