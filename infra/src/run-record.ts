import { linkSync, renameSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { readJson, writePrivateJson } from './fleet-file.ts'
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts'

/** Who runs a fleet on a data folder, so that a second start, a stop and a clean-up after a crash find it. */
export interface RunRecord {
  readonly supervisor: ProcessIdentity
  readonly children: Readonly<Record<string, ProcessIdentity>>
}

export type Claim = { readonly kind: 'claimed' } | { readonly kind: 'taken'; readonly supervisor: ProcessIdentity }

/**
 * Makes this process the one that runs a fleet on the folder. Of several that try at the same time one gets it.
 * Processes that a killed supervisor left behind are ended first.
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

/** Removes the record of a fleet that is gone, but not the claim of somebody who was quicker. */
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

/** Notes which processes run now. */
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

/** Ends what a killed supervisor left running, last started first; SIGKILL for what does not go within ten seconds. */
export async function endLeftovers(record: RunRecord, say: (text: string) => void): Promise<void> {
  const left = Object.entries(record.children).filter(([, child]) => isRunning(child))
  if (left.length === 0) return
  say(`the last fleet was killed; stopping what it left running (${left.map(([name]) => name).join(', ')})`)
  for (const [name, child] of left.reverse()) {
    // Postgres takes SIGINT for "stop now, properly"; at SIGTERM it would wait for its clients.
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
    // A link appears whole or not at all, and not over an existing file.
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
  if (own === null) throw new Error('this process does not find itself in the process table')
  return own
}
