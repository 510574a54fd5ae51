import type { TrainerClient } from '../trainer-client.ts'

/** What a simulated attempt works with. */
export interface RunDeps {
  readonly client: TrainerClient
  readonly now: () => Date
  /** True from the moment on at which it was asked to end, by SIGTERM for a process. */
  readonly isPreempted: () => boolean
  /** As if the process had been killed. */
  readonly killed: AbortSignal
  /** Shortest duration of a whole job, milliseconds. */
  readonly jobMs: number
}

/** Is raised when the same settings and data train something else. */
export const simVersion = 'sim 2'
