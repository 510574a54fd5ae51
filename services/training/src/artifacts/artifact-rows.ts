import type { Content } from './artifact-store.ts'

/** What is known of the contents of the store: which there are, and who needs them. */
export interface ArtifactRows {
  /** Notes that contents are about to be stored or used. Without a reference they are kept for another day. */
  add(contents: readonly Content[]): Promise<void>
  /** Notes that a job or checkpoint needs contents that were added. */
  refer(holder: Holder, contents: readonly Content[]): Promise<void>
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
