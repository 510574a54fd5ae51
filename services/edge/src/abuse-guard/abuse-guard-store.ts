/** Maximum number of guarded calls in any window of this length, of a workspace that has no limit of its own. */
export interface AbuseLimit {
  readonly calls: number
  readonly windowSeconds: number
}

export type Admission =
  | { readonly kind: 'admitted' }
  | {
      readonly kind: 'refused'
      /** The workspace's limit. */
      readonly calls: number
      /** Seconds until a call would be admitted, > 0. */
      readonly retryAfterSeconds: number
    }

/** Counts guarded calls in a sliding window, exactly over all processes that share the store. */
export interface AbuseGuardStore {
  /** Counts one call if the window has room for it. Refused calls do not count. */
  admit(workspaceId: string, limit: AbuseLimit): Promise<Admission>
  /** Deletes calls that are older than the window. */
  prune(windowSeconds: number): Promise<void>
}
