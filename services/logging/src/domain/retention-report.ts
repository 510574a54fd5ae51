/** What one sweep of the log did. */
export interface RetentionReport {
  /** Partitions whose day is over. */
  readonly droppedPartitions: number
  /** Rows of deleted workspaces, and rows past their time. */
  readonly deletedRows: number
  /** Rows that have to be gone sooner than they were to be. */
  readonly shortenedRows: number
  /** Files of deleted workspaces. */
  readonly deletedFiles: number
}
