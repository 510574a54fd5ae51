/** Request ids, and UUIDs of log entries, to find in the log. */
export interface ImportKeys {
  readonly workspaceId: string
  readonly requestIds: readonly string[]
  readonly entryIds: readonly string[]
  /** Rows that have expired by then do not count. */
  readonly at: Date
}

/** Finds entries of an import in the log. */
export interface ImportStore {
  /** The requests and entries that are in the log. @throws Error when the log is unavailable */
  known(keys: ImportKeys): Promise<ReadonlySet<string>>
}
