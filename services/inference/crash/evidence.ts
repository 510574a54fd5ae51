import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import path from 'node:path'

/**
 * Facts about a request that must survive its process: the provider was `called`, the client got its complete answer
 * (`acked`), the client got an error without a charge (`released`). Of a training job: it `trained` up to a cost, and the
 * ledger answered that it is `charged` up to one.
 */
export type EvidenceKind = 'called' | 'acked' | 'released' | 'trained' | 'charged' | 'event'

/** Appends facts to a file, each in one write, so that they survive when the process is killed. */
export function openEvidence(file: string): (kind: EvidenceKind, what: string) => void {
  const descriptor = openSync(file, 'a')
  return (kind, what) => void writeSync(descriptor, `${kind} ${what}\n`)
}

/** A call of the provider, and the hold before it. */
export interface Call {
  readonly workspaceId: string
  readonly ownerId: string
  /** Unix time in milliseconds before the hold, and after it. */
  readonly fromMs: number
  readonly toMs: number
}

export interface Evidence {
  /** By billing id. */
  readonly called: ReadonlyMap<string, Call>
  readonly acked: ReadonlySet<string>
  readonly released: ReadonlySet<string>
  /** By job, its highest cost. */
  readonly trained: ReadonlyMap<string, bigint>
  /** By job, the highest cost that the ledger reported to have charged. */
  readonly charged: ReadonlyMap<string, bigint>
  /** Number of ledger events by kind. */
  readonly events: ReadonlyMap<string, number>
}

/** Everything that any worker wrote into the folder. */
export function readEvidence(folder: string): Evidence {
  const called = new Map<string, Call>()
  const facts = { acked: new Set<string>(), released: new Set<string>() }
  const jobs = { trained: new Map<string, bigint>(), charged: new Map<string, bigint>() }
  const events = new Map<string, number>()
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.evidence'))) {
    for (const line of readFileSync(path.join(folder, name), 'utf8').split('\n')) {
      const [kind, what = '', ...more] = line.split(' ')
      if (kind === 'event') events.set(what, (events.get(what) ?? 0) + 1)
      else if (kind === 'called') called.set(what, callOf(more))
      else if (kind === 'acked' || kind === 'released') facts[kind].add(what)
      else if (kind === 'trained' || kind === 'charged') raise(jobs[kind], what, BigInt(more[0] ?? 0))
    }
  }
  return { ...facts, ...jobs, called, events }
}

function raise(costs: Map<string, bigint>, job: string, cost: bigint): void {
  if (cost > (costs.get(job) ?? -1n)) costs.set(job, cost)
}

function callOf([workspaceId = '', ownerId = '', fromMs = '', toMs = '']: readonly string[]): Call {
  return { workspaceId, ownerId, fromMs: Number(fromMs), toMs: Number(toMs) }
}
