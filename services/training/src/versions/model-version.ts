import type { ModelVersionStatus } from '@ratchet/contracts/model-versions'
import type { CheckpointFile } from '@ratchet/contracts/trainer-protocol'

/** What made a version: a fine-tuning job, a GRPO run or a round of RAFT with this UUID; or files that were uploaded. */
export type VersionProducer =
  | { readonly type: 'fine_tuning' | 'grpo' | 'raft'; readonly id: string }
  | { readonly type: 'import'; readonly id: null }

/** A version that does not exist yet. */
export interface NewVersion {
  /** UUID, the same in every repetition. A version of a checkpoint has the id of the checkpoint, which holds its files. */
  readonly id: string
  readonly workspaceId: string
  readonly baseModel: string
  /** A word of the user in its name. */
  readonly suffix: string | null
  readonly producedBy: VersionProducer
  /** The fine-tuning job that trained it, also for a round of RAFT. */
  readonly jobId: string | null
  readonly step: number | null
  /** The version that it was trained from. */
  readonly parentId: string | null
  readonly datasetId: string | null
  /** Those of the kind `adapter` are kept with it: nobody who downloads a version needs the state of its training. */
  readonly files: readonly CheckpointFile[]
  /** Rank of its LoRA adapter; null when all weights were trained. */
  readonly adapterRank: number | null
  readonly metrics: Readonly<Record<string, number | null>>
  /** The model of the catalog that answers as this version; null when nothing serves it. */
  readonly servedAs: string | null
  readonly createdBy: string
}

/** A version as it is stored, with what aliases do with it. */
export interface StoredVersion extends Omit<NewVersion, 'suffix' | 'files'> {
  /** The name under which requests reach it. */
  readonly name: string
  readonly files: readonly CheckpointFile[]
  readonly sha256: string
  readonly bytes: number
  /** Whether a reward made it, or one of the versions that it was trained from. */
  readonly isFromReward: boolean
  readonly status: ModelVersionStatus
  readonly rejectReason: string | null
  readonly isArchived: boolean
  /** How the pool serves it; null when it is not meant to. */
  readonly pool: VersionInPool | null
  /** Routing keys of dedicated endpoints that answer as it. */
  readonly endpoints: readonly string[]
  /** What it answers to the probes; null while nobody has answered them. */
  readonly fingerprint: { readonly source: 'trainer' | 'engine'; readonly sha256: string } | null
  /** The aliases that send requests to it. */
  readonly aliases: readonly VersionAlias[]
  /** When and by whom an alias last began to route to it. */
  readonly adoptedAt: Date | null
  readonly adoptedBy: string | null
  readonly createdAt: Date
}

export interface VersionInPool {
  readonly state: 'loading' | 'ready' | 'failed'
  /** Why it has failed. */
  readonly error: string | null
}

/** Whether requests reach a version under its name. */
export function isServed({
  servedAs,
  pool,
  isArchived,
}: Pick<StoredVersion, 'servedAs' | 'pool' | 'isArchived'>): boolean {
  return !isArchived && (servedAs !== null || pool?.state === 'ready')
}

export interface VersionAlias {
  readonly name: string
  readonly arm: 'target' | 'canary'
  /** Share of the requests. */
  readonly percent: number
}
