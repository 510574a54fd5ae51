import type { Content } from './artifact-store.ts'

/** What is known of the contents of the store: which there are, and who needs them. */
export interface ArtifactRows {
  /** Notes that contents are about to be stored or used. Without a reference they are kept for another day. */
  add(contents: readonly Content[]): Promise<void>
  /**
   * Notes that a job or checkpoint needs contents that were added, and their sizes, which are known by now. Those of jobs count
   * as stored bytes of their workspace until they are given up.
   *
   * @throws ServiceError `quota_exceeded` when they do not fit into the storage quota of the workspace
   */
  refer(holder: Holder, contents: readonly Content[]): Promise<void>
  /** Those of the contents that jobs or checkpoints of the workspace need. What others have stored proves nothing. */
  ofWorkspace(workspaceId: string, contents: readonly Content[]): Promise<ReadonlySet<string>>
  /**
   * Notes that jobs which have ended need no examples any more, nor what they uploaded for checkpoints in vain, and that nobody
   * needs the files of imported versions which were archived so many milliseconds ago. What was added less than so many
   * milliseconds ago waits, so that it counts as long as it is stored.
   */
  forgetEnded(unneededMs: number): Promise<void>
  /**
   * Removes contents that nothing has needed since a time, at most `limit`.
   *
   * @param remove removes one from the store; while it runs, nobody can begin to use it
   * @returns number of removed contents
   */
  sweep(options: SweepOptions): Promise<number>
}

export interface Holder {
  /** UUID of a job or a checkpoint. */
  readonly id: string
  readonly workspaceId: string
}

export interface SweepOptions {
  readonly unneededMs: number
  readonly limit: number
  readonly remove: (sha256: string) => Promise<void>
}
