import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { WorkerOrders } from './workload.ts'

/** The worker processes. One that dies is replaced at once. */
export interface WorkerGroup {
  /** Kills one (SIGKILL); `pick` in [0, 1) selects it among those that serve. */
  kill(pick: number): void
  /** Stops one for a while (SIGSTOP), long enough for the others to treat it as dead. */
  freeze(pick: number, ms: number): void
  /** Lets every worker finish its work and exit. */
  finish(): Promise<void>
  /** Kills all workers without replacement. */
  abandon(): void
  readonly counts: { readonly kills: number; readonly freezes: number; readonly unexpectedExits: number }
}

export interface WorkerGroupOptions {
  readonly size: number
  /** The orders of the n-th process. */
  readonly orders: (n: number) => WorkerOrders
}

export function startWorkerGroup({ size, orders }: WorkerGroupOptions): WorkerGroup {
  const running = new Set<ChildProcess>()
  /** Workers that serve. Only they get faults, so that a slow machine gets work done. */
  const awake = new Set<ChildProcess>()
  const counts = { kills: 0, freezes: 0, unexpectedExits: 0 }
  let started = 0
  let replacing = true

  function startOne(): void {
    started += 1
    const script = path.join(import.meta.dirname, 'worker.ts')
    const child = fork(script, [JSON.stringify(orders(started))], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    running.add(child)
    child.once('message', () => awake.add(child))
    child.once('exit', (code, signal) => {
      running.delete(child)
      awake.delete(child)
      if (signal === null && (code !== 0 || replacing)) counts.unexpectedExits += 1
      if (replacing) startOne()
    })
  }

  /** Spares the last one: on a busy machine workers start slowly, and would all die before they serve anything. */
  function pickOne(pick: number): ChildProcess | undefined {
    return awake.size < 2 ? undefined : [...awake][Math.floor(pick * awake.size)]
  }

  for (let index = 0; index < size; index += 1) startOne()
  return {
    counts,
    kill(pick) {
      if (pickOne(pick)?.kill('SIGKILL')) counts.kills += 1
    },
    freeze(pick, ms) {
      const child = pickOne(pick)
      if (!child?.kill('SIGSTOP')) return
      counts.freezes += 1
      awake.delete(child)
      setTimeout(() => {
        if (child.kill('SIGCONT')) awake.add(child)
      }, ms)
    },
    async finish() {
      replacing = false
      const leaving = [...running].map(async (child) => {
        const exited = once(child, 'exit')
        child.kill('SIGCONT')
        child.send('finish', () => undefined)
        await exited
      })
      await Promise.all(leaving)
    },
    abandon() {
      replacing = false
      for (const child of running) child.kill('SIGKILL')
    },
  }
}
