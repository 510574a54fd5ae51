import { linkSync, renameSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, isRunning, type ProcessIdentity } from '../processes/process-identity.ts'
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
    if (createExclusively(file, own)) return { kind: 'claimed' }
    const record = readJson<RunRecord>(file)
    if (record !== null && isRunning(record.supervisor)) return { kind: 'taken', supervisor: record.supervisor }
    if (record !== null) await endLeftovers(record, say)
    removeStale(file, record)
  }
}

/** Removes the record of a fleet that has ended, but not a newer claim of another process. */
function removeStale(file: string, stale: RunRecord | null): void {
  const aside = `${file}.${process.pid}.stale`
  try {
    renameSync(file, aside)
  } catch {
    return
  }
  const moved = readJson<RunRecord>(aside)
  if (JSON.stringify(moved) !== JSON.stringify(stale)) linkSync(aside, file)
  rmSync(aside)
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
  const left = Object.entries(record.children).filter(([, child]) => isRunning(child))
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

function createExclusively(file: string, record: RunRecord): boolean {
  const draft = `${file}.${process.pid}.claim`
  writePrivateJson(draft, record)
  try {
    // Creating a link is atomic, and fails when the file exists.
    linkSync(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}

function ownIdentity(): ProcessIdentity {
  const own = identify(process.pid)
  if (own === null) throw new Error('this process is not in the process table')
  return own
}
