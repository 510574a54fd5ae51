/** A judgement of an entry of the log. */
export interface LoggedJudgement {
  readonly id: string
  readonly workspaceId: string
  readonly logId: string
}

/** What judges said of exchanges that are no longer in the log. */
export interface PurgingStore {
  /** Deletes judgements whose exchanges have expired; how many. */
  purgeExpired(): Promise<number>
  /** Judgements of log entries in order of their ids, behind one. */
  loggedAfter(id: string, limit: number): Promise<readonly LoggedJudgement[]>
  forget(ids: readonly string[]): Promise<void>
}
