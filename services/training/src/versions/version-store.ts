import type { ModelVersionStatus } from '@ratchet/contracts/model-versions'
import type { StoredVersion, VersionProducer } from './model-version.ts'

export interface VersionFilter {
  readonly workspaceId: string
  readonly status?: ModelVersionStatus | undefined
  readonly baseModel?: string | undefined
  readonly producedBy?: VersionProducer['type'] | undefined
  readonly limit: number
  readonly offset: number
}

interface Where {
  readonly workspaceId: string
  /** UUID. */
  readonly id: string
}

interface Named {
  readonly workspaceId: string
  readonly name: string
}

/** What a version is connected with beside its own columns. */
export interface VersionEdge {
  readonly kind: 'eval' | 'guard' | 'audit'
  /** Public id. */
  readonly target: string
  readonly details: Readonly<Record<string, unknown>>
  readonly createdAt: Date
}

/** A time at which an alias began to route to a version. */
export interface Adoption {
  /** UUID of the event in the audit of the alias. */
  readonly eventId: string
  readonly aliasName: string
  readonly arm: 'target' | 'canary'
  readonly percent: number
  /** Whether it had a share of the requests before, and got all of them. */
  readonly promoted: boolean
  readonly userId: string | null
  readonly createdAt: Date
}

/** One try of a trainer at a job. */
export interface TrainerAttempt {
  readonly trainer: string
  /** Name and version of the trainer's program; null when it did not say. */
  readonly codeVersion: string | null
  readonly startedAt: Date
  /** Null while it runs. */
  readonly exit: string | null
}

/** What needs a version. */
export interface VersionUsers {
  /** Names of aliases that name it in any way. */
  readonly aliases: readonly string[]
  /** Unfinished jobs that are trained from it. */
  readonly jobIds: readonly string[]
  /** Dedicated endpoints that serve it, as requests name them. */
  readonly endpoints: readonly string[]
}

/** Model versions as the API reads and changes them. */
export interface VersionStore {
  list(filter: VersionFilter): Promise<{ readonly total: number; readonly versions: readonly StoredVersion[] }>
  get(where: Where): Promise<StoredVersion | null>
  /** The version that requests reach under a name, or did before it was archived. */
  named(named: Named): Promise<StoredVersion | null>
  /** The version and those that it was trained from, the newest first, at most 50. */
  ancestry(where: Where): Promise<readonly StoredVersion[]>
  /** The conversations that these versions were trained on, packed, of those of which they are known. */
  roots(versions: readonly StoredVersion[]): Promise<readonly Buffer[]>
  edges(where: Where): Promise<readonly VersionEdge[]>
  /** The attempts of a job, the first one first. */
  attempts(job: Where): Promise<readonly TrainerAttempt[]>
  /** Newest first, at most 100. */
  adoptions(named: Named): Promise<readonly Adoption[]>
  users(version: Pick<StoredVersion, 'workspaceId' | 'id' | 'name'>): Promise<VersionUsers>
  /** Rejects a candidate, with a notice for webhooks. False when it is no candidate, nor one that was superseded, any more. */
  reject(
    where: Where,
    rejection: { readonly userId: string; readonly reason: string; readonly noticeId: string },
  ): Promise<boolean>
  /** Requests do not reach it any more, at most a second later. */
  archive(where: Where): Promise<void>
}
