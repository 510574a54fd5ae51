import type { Trainer, TrainerOrder } from '../trainer.ts'
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

interface Running {
  exitCode: number | null
  isPreempted: boolean
  readonly killed: AbortController
  ended: Promise<void>
}

/**
 * A trainer without a model, for machines that have none: it walks through everything that a training does, over HTTP, in a
 * few seconds, and always with the same result for the same data and settings. It runs inside the worker and ends with it.
 */
export function createSimTrainer({ slots, jobMs, now, retryForMs, onExit }: SimTrainerOptions): Trainer {
  const started = new Map<string, Running>()

  async function run({ url, token }: TrainerOrder, running: Running): Promise<number> {
    const killed = running.killed.signal
    const client = createTrainerClient({ url, token, killed, retryForMs })
    try {
      return await runAttempt({ client, now, isPreempted: () => running.isPreempted, killed, jobMs })
    } finally {
      await client.close()
    }
  }

  return {
    name: 'sim',
    slots,
    endsWithWorker: true,
    async start(order) {
      if (started.has(order.name)) return
      const running: Running = {
        exitCode: null,
        isPreempted: false,
        killed: new AbortController(),
        ended: Promise.resolve(),
      }
      started.set(order.name, running)
      running.ended = run(order, running)
        .catch(() => 1)
        .then((exitCode) => {
          running.exitCode = exitCode
          onExit(order.name)
        })
    },
    async stop(name, how) {
      const running = started.get(name)
      if (running === undefined) return
      if (how === 'now') running.killed.abort()
      running.isPreempted = true
      await running.ended
    },
    list: async () => [...started].map(([name, { exitCode }]) => ({ name, exitCode })),
    async forget(name) {
      if (started.get(name)?.exitCode != null) started.delete(name)
    },
  }
}
