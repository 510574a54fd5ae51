/** How many guarded calls a workspace may make in any window of this length. */
export interface AbuseLimit {
  readonly calls: number
  readonly windowSeconds: number
}

export type Admission =
  | { readonly kind: 'admitted' }
  /** Seconds until a call would be admitted, > 0. */
  | { readonly kind: 'refused'; readonly retryAfterSeconds: number }

/** The sliding window of guarded calls: exact over every process that shares the store. */
export interface AbuseGuardStore {
  /** Counts one call if the window has room for it. Refused calls do not count. */
  admit(workspaceId: string, limit: AbuseLimit): Promise<Admission>
  /** Forgets calls that no window reaches any more. */
  prune(windowSeconds: number): Promise<void>
}
