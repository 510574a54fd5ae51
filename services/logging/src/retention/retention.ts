/** The exchanges that one sweep deleted or changed. */
export interface ExchangeSweep {
  /** Partitions whose day is over. */
  readonly droppedPartitions: number
  /** Expired exchanges, and those of deleted workspaces. */
  readonly deletedRows: number
  /** Exchanges whose expiry was brought forward, because their workspace shortened its retention. */
  readonly shortenedRows: number
}

/** The result of one sweep of the log. */
export interface RetentionReport extends ExchangeSweep {
  /** Files of deleted workspaces. */
  readonly deletedFiles: number
}

/** Deletes exchanges that have expired, outlived a shortened retention, or lost their workspace. */
export interface ExchangeRetention {
  /** The caller makes sure that one process sweeps at a time. */
  sweep(now: Date): Promise<ExchangeSweep>
}
