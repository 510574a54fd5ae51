/** What an import asks about: requests, and log entries by their UUIDs. */
export interface ImportKeys {
  readonly workspaceId: string
  readonly requestIds: readonly string[]
  readonly entryIds: readonly string[]
  /** What has expired by then is not in the log. */
  readonly at: Date
}

/** The log as an import needs it. */
export interface ImportStore {
  /** Those of the requests and entries that are in the log. @throws Error when the database is away */
  known(keys: ImportKeys): Promise<ReadonlySet<string>>
}
