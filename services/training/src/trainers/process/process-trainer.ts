import { type ChildProcess, spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { trainerVariables } from '@ratchet/contracts/trainer-protocol'
import type { Trainer } from '../trainer.ts'

export interface ProcessTrainerOptions {
  /** The program and its arguments, such as `python -m ratchet_trainers`. */
  readonly command: readonly [string, ...string[]]
  readonly slots: number
  /** All variables of the program, beside those of the protocol. The worker's own have secrets. */
  readonly environment: Readonly<Record<string, string>>
  /** Where what the program writes about errors goes: nowhere, because it may quote examples, or where the worker's goes. */
  readonly errors: 'ignore' | 'inherit'
  /** Memory that it may fill, bytes; null: all there is. Only Linux has such a limit. A program that needs more sees an error. */
  readonly maxMemoryBytes: number | null
  /** Time to save after SIGTERM, milliseconds. Then it is killed. */
  readonly graceMs: number
  /** Called when an attempt has exited. */
  readonly onExit: (name: string) => void
}

interface Started {
  readonly child: ChildProcess
  exitCode: number | null
  readonly ended: Promise<void>
}

/** How polite it is to other programs of the machine, as `nice` counts. */
const niceness = 10
/** Exit code of a program that a signal ended or that could not be started. */
const noCode = 1

/**
 * A program on this machine, one process for each attempt. It outlives a worker that is killed, and goes on to report: its
 * attempt is lost only when it reports no more. A worker that stops ends its processes after they have saved.
 */
export function createProcessTrainer(options: ProcessTrainerOptions): Trainer {
  const { slots, graceMs, onExit } = options
  const started = new Map<string, Started>()

  function watch(name: string, child: ChildProcess): void {
    const { promise, resolve } = Promise.withResolvers<void>()
    const entry: Started = { child, exitCode: null, ended: promise }
    const end = (code: number | null) => {
      if (entry.exitCode !== null) return
      entry.exitCode = code ?? noCode
      resolve()
      onExit(name)
    }
    child.once('exit', end)
    child.once('error', () => end(noCode))
    started.set(name, entry)
  }

  return {
    name: 'process',
    slots,
    endsWithWorker: true,
    async start({ name, url, token }) {
      if (started.has(name)) return
      const [program, ...parameters] = limited(options)
      const own = { [trainerVariables.url]: url, [trainerVariables.token]: token }
      const env = { ...options.environment, ...own }
      const child = spawn(program, parameters, { env, stdio: ['ignore', 'ignore', options.errors] })
      watch(name, child)
      if (child.pid !== undefined) lowerPriority(child.pid)
    },
    async stop(name, how) {
      const entry = started.get(name)
      if (entry === undefined || entry.exitCode !== null) return
      entry.child.kill(how === 'now' ? 'SIGKILL' : 'SIGTERM')
      const timer = setTimeout(() => entry.child.kill('SIGKILL'), graceMs)
      await entry.ended
      clearTimeout(timer)
    },
    list: async () => [...started].map(([name, { exitCode }]) => ({ name, exitCode })),
    async forget(name) {
      if (started.get(name)?.exitCode !== null) started.delete(name)
    },
  }
}

/**
 * The shell sets the limit and becomes the program. It limits data, not addresses: drivers of GPUs reserve many addresses that
 * they never fill.
 */
function limited({ command, maxMemoryBytes }: ProcessTrainerOptions): readonly [string, ...string[]] {
  if (maxMemoryBytes === null) return command
  return ['/bin/sh', '-c', 'ulimit -d "$0" && exec "$@"', String(Math.floor(maxMemoryBytes / 1_024)), ...command]
}

/** It may have exited already, and a machine may not allow it: both change nothing else. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // See above.
  }
}
