/** Announces that there may be new work, so that workers need not search for it all the time. */
export interface WorkChanges {
  /** Whether a change would be noticed now. While it is not, workers search often. */
  readonly isListening: () => boolean
  /** Calls `listener` after each change, and when listening began, because earlier changes were not noticed. */
  readonly onChange: (listener: () => void) => void
}
