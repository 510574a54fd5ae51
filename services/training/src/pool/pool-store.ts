import type { CheckpointFile } from '@ratchet/contracts/trainer-protocol'
import type { ProbeAnswer } from '../fingerprints/compare-fingerprint.ts'
import type { PoolReplica, PoolVersion } from './pool.ts'

/** A version in an engine. */
export interface PoolPlace {
  readonly replica: string
  readonly version: Pick<PoolVersion, 'id' | 'workspaceId' | 'adapter'>
}

/** The pool in rows. Whatever changes where requests may go is known to inference about a second later. */
export interface PoolStore {
  /** Whether this worker is the one that manages the pool, for the next while. */
  takeLease(worker: string, forMs: number): Promise<boolean>
  releaseLease(worker: string): Promise<void>
  read(): Promise<{ readonly replicas: readonly PoolReplica[]; readonly versions: readonly PoolVersion[] }>
  /** No engine serves bases but these: versions of others have failed, and requests do not reach them any more. @param error for the customer */
  keepBases(bases: readonly string[], error: string): Promise<void>
  addReplica(replica: Pick<PoolReplica, 'name' | 'baseModel'>): Promise<void>
  /** It answers at an address, and its base model so. */
  startReplica(name: string, address: string, base: readonly ProbeAnswer[]): Promise<void>
  /** It does not answer: it gets no requests, and what it had is loaded and proven again. */
  loseReplica(name: string): Promise<void>
  removeReplica(name: string): Promise<void>
  load(place: PoolPlace): Promise<void>
  /** The adapter was proven there, unless it was given up, or the engine has another address, meanwhile. */
  prove(place: PoolPlace, address: string): Promise<void>
  /** It could not be. @param error for the customer */
  fail(place: PoolPlace, error: string): Promise<void>
  leave(place: PoolPlace): Promise<void>
  bringBack(place: PoolPlace): Promise<void>
  unloaded(place: PoolPlace): Promise<void>
  /** What is needed to load a version and to prove it. Null when it does not exist any more. */
  versionToLoad(place: PoolPlace): Promise<VersionToLoad | null>
  /** Keeps answers as those of a version of which none are known. @returns those that are known then */
  learn(version: PoolPlace['version'], answers: readonly ProbeAnswer[]): Promise<readonly ProbeAnswer[]>
}

export interface VersionToLoad {
  readonly files: readonly CheckpointFile[]
  /** What its trainer says; null when nothing is known. */
  readonly expected: readonly ProbeAnswer[] | null
  /** What the base answers in that engine. */
  readonly base: readonly ProbeAnswer[]
}
