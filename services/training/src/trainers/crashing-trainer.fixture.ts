import type { Trainer } from './trainer.ts'

/** A trainer in place of `sim` whose programs exit at once. */
export function crashingTrainer(onExit: () => void, exitCode = 1): Trainer {
  const names = new Set<string>()
  return {
    name: 'sim',
    slots: 2,
    endsWithWorker: true,
    async start({ name }) {
      names.add(name)
      setImmediate(onExit)
    },
    stop: async () => undefined,
    list: async () => [...names].map((name) => ({ name, exitCode })),
    forget: async (name) => void names.delete(name),
  }
}
