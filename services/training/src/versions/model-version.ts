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
