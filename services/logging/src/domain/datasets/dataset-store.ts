import type { ContentTotals } from './example-line.ts'

/** A dataset as it is stored. Ids are UUIDs. */
export interface StoredDataset extends ContentTotals {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly description: string | null
  readonly kind: 'train' | 'eval'
  /** Null too when the other side was deleted. */
  readonly siblingId: string | null
  readonly source: 'logs' | 'upload' | 'raft'
  readonly segments: readonly string[]
  readonly filters: Readonly<Record<string, unknown>>
  readonly criterionId: string | null
  readonly holdoutPct: number | null
  readonly createdBy: string
  readonly createdAt: Date
}

/** What is known of a dataset before its examples are. */
export type NewDataset = Omit<StoredDataset, keyof ContentTotals | 'siblingId' | 'segments'>

/** What is known of it once it is whole. */
export interface FrozenContent extends ContentTotals {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly siblingId: string | null
  readonly segments: readonly string[]
}

/** An example as it is stored. */
export interface StoredExample {
  /** From 0. */
  readonly position: number
  /** A line of JSONL. */
  readonly line: string
  readonly sha256: string
  /** UUID of the exchange it was made of. */
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

export interface DatasetStore {
  /** Begins a dataset that nobody sees yet; what others began long before and never finished is swept away. */
  begin(dataset: NewDataset): Promise<void>
  append(datasetId: string, examples: readonly StoredExample[]): Promise<void>
  /** Makes datasets visible, all at once; from then on their contents cannot change. */
  freeze(contents: readonly FrozenContent[], at: Date): Promise<void>
  get(key: DatasetKey): Promise<StoredDataset | null>
  /** The newest first. */
  list(query: DatasetQuery): Promise<{ readonly total: number; readonly datasets: readonly StoredDataset[] }>
  /** Those from `offset` on, in order. */
  examples(datasetId: string, page: Page): Promise<readonly StoredExample[]>
  rename(key: DatasetKey, changes: Renaming): Promise<boolean>
  /** Also one that is not frozen yet. */
  delete(key: DatasetKey): Promise<boolean>
}

export interface Renaming {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
}
