import type { DatasetProgress, DatasetStatus } from '@ratchet/contracts/dataset-progress'
import type { ContentTotals } from './example-line.ts'

/** A stored dataset. Ids are UUIDs. */
export interface StoredDataset extends ContentTotals {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly description: string | null
  readonly kind: 'train' | 'eval'
  /** The other side of the split; null when there is none or it was deleted. */
  readonly siblingId: string | null
  readonly source: 'logs' | 'upload' | 'raft' | 'evals' | 'distill'
  readonly format: 'chat' | 'preference' | 'prompts'
  readonly segments: readonly string[]
  readonly filters: Readonly<Record<string, unknown>>
  readonly criterionId: string | null
  readonly holdoutPct: number | null
  readonly createdBy: string
  readonly createdAt: Date
  readonly building: Building
}

/** How far a dataset is. */
export interface Building {
  readonly status: DatasetStatus
  readonly message: string | null
  /** Null for a dataset that was made at once. */
  readonly progress: DatasetProgress | null
}

/** Of a dataset that was made at once. */
export const builtAtOnce: Building = { status: 'ready', message: null, progress: null }

/** The members of a dataset that are known before its examples are written. */
export type NewDataset = Omit<StoredDataset, keyof ContentTotals | 'siblingId' | 'segments' | 'building'>

/** The members of a dataset that are known when all examples are written. */
export interface FrozenContent extends ContentTotals {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly siblingId: string | null
  readonly segments: readonly string[]
}

/** A stored example. */
export interface StoredExample {
  /** Positions begin at 0. */
  readonly position: number
  /** A line of JSONL. */
  readonly line: string
  readonly sha256: string
  /** UUID of the exchange from which it was made; null for uploaded examples. */
  readonly sourceExchangeId: string | null
  readonly foldedTurns: number
}

export interface DatasetKey {
  readonly workspaceId: string
  readonly id: string
}

export interface Page {
  readonly limit: number
  readonly offset: number
}

export interface DatasetQuery extends Page {
  readonly workspaceId: string
  readonly name?: string | undefined
  readonly segment?: string | undefined
  readonly kind?: 'train' | 'eval' | undefined
}

export interface Renaming {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
}
