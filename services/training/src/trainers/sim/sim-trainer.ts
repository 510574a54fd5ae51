import { createInWorkerTrainer } from '../in-worker-trainer.ts'
import type { Trainer } from '../trainer.ts'
import { createTrainerClient } from '../trainer-client.ts'
import { runAttempt } from './run-attempt.ts'

export interface SimTrainerOptions {
  readonly slots: number
  /** Shortest duration of a whole job, milliseconds. */
  readonly jobMs: number
  readonly now: () => Date
  /** How long a call is repeated that gets no answer, milliseconds. */
  readonly retryForMs: number
  /** Called when an attempt has exited. */
  readonly onExit: (name: string) => void
}

/**
 * A trainer without a model, for machines that have none: it walks through everything that a training does, over HTTP, in a
 * few seconds, and always with the same result for the same data and settings.
 */
export function createSimTrainer({ slots, jobMs, now, retryForMs, onExit }: SimTrainerOptions): Trainer {
  return createInWorkerTrainer({
    name: 'sim',
    slots,
    onExit,
    async run({ url, token }, { isPreempted, killed }) {
      const client = createTrainerClient({ url, token, killed, retryForMs })
      return await runAttempt({ client, now, isPreempted, killed, jobMs }).finally(() => client.close())
    },
  })
}
