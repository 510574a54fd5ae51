import type { AttemptId } from '../attempts/job-token.ts'

/** What a trainer is started with. It learns everything else over HTTP. */
export interface TrainerOrder {
  /** Unique for the attempt: {@link attemptName}. */
  readonly name: string
  /** Address of the service `training`. */
  readonly url: string
  /** The token of the attempt. */
  readonly token: string
  /** Id in the catalog of the model that is trained. */
  readonly model: string
  /** UUID of the workspace whose job it is. */
  readonly workspaceId: string
}

/** A trainer that was started and was not removed yet. */
export interface StartedTrainer {
  readonly name: string
  /** Null while it runs. */
  readonly exitCode: number | null
  /** Whether it waits for a place on a cluster, so that it cannot report yet. */
  readonly isWaiting?: boolean
}

/**
 * Starts programs that speak the trainer protocol, here or elsewhere. It knows nothing about jobs: what runs without an
 * attempt is stopped, and what has exited without a word has lost its attempt.
 */
export interface Trainer {
  /** Name in catalogs and jobs, such as `sim`. */
  readonly name: string
  /** Attempts that may run at once in the whole installation. */
  readonly slots: number
  /** Whether what it started must end when the worker stops, because nobody else would see it. */
  readonly endsWithWorker: boolean
  /** Starts one attempt. A second call with the same name does nothing. */
  start(order: TrainerOrder): Promise<void>
  /** Asks it to save and exit; `now` ends it at once. Does nothing for a name that is not listed. */
  stop(name: string, how: 'gracefully' | 'now'): Promise<void>
  /** Those that this process, or for a cluster any process, has started. */
  list(): Promise<readonly StartedTrainer[]>
  /** Removes one that has exited from the list. */
  forget(name: string): Promise<void>
}

const format = /^train-([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})-([1-9]\d{0,8})$/

/** The name of an attempt for what runs it, such as `train-<32 hex digits>-2`. */
export function attemptName({ jobId, generation }: AttemptId): string {
  return `train-${jobId.replaceAll('-', '')}-${generation}`
}

/** The attempt of a name; null for any other name. */
export function attemptOfName(name: string): AttemptId | null {
  const [, a, b, c, d, e, generation] = format.exec(name) ?? []
  return generation === undefined ? null : { jobId: [a, b, c, d, e].join('-'), generation: Number(generation) }
}
