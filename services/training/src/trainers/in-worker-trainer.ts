import type { Trainer, TrainerOrder } from './trainer.ts'

/** What an attempt inside the worker is told. */
export interface InWorkerRun {
  /** True from the moment on at which it was asked to end, by SIGTERM for a process. */
  readonly isPreempted: () => boolean
  /** As if the process had been killed. */
  readonly killed: AbortSignal
}

export interface InWorkerOptions {
  readonly name: string
  readonly slots: number
  /** One attempt. Resolves with an exit code of the trainer protocol. */
  readonly run: (order: TrainerOrder, run: InWorkerRun) => Promise<number>
  /** Called when an attempt has exited. */
  readonly onExit: (name: string) => void
}

interface Running {
  exitCode: number | null
  isPreempted: boolean
  readonly killed: AbortController
  ended: Promise<void>
}

/** Runs attempts inside the worker. They end with it. */
export function createInWorkerTrainer({ name, slots, run, onExit }: InWorkerOptions): Trainer {
  const started = new Map<string, Running>()
  return {
    name,
    slots,
    endsWithWorker: true,
    async start(order) {
      if (started.has(order.name)) return
      const killed = new AbortController()
      const running: Running = { exitCode: null, isPreempted: false, killed, ended: Promise.resolve() }
      started.set(order.name, running)
      running.ended = run(order, { isPreempted: () => running.isPreempted, killed: killed.signal })
        .catch(() => 1)
        .then((exitCode) => {
          running.exitCode = exitCode
          onExit(order.name)
        })
    },
    async stop(each, how) {
      const running = started.get(each)
      if (running === undefined) return
      if (how === 'now') running.killed.abort()
      running.isPreempted = true
      await running.ended
    },
    list: async () => [...started].map(([each, { exitCode }]) => ({ name: each, exitCode })),
    async forget(each) {
      if (started.get(each)?.exitCode != null) started.delete(each)
    },
  }
}
