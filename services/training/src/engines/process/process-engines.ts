import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { parseJson } from '@ratchet/service-kit/values/json'
import { z } from 'zod'
import type { AdapterFolders } from '../adapter-folders.ts'
import type { EngineOrder, EngineState, Engines } from '../engines.ts'

export interface ProcessEnginesOptions {
  /** The program and its first arguments, such as `python -m ratchet_trainers.serving`. */
  readonly command: readonly [string, ...string[]]
  /** All variables of the program. The worker's own have secrets. */
  readonly environment: Readonly<Record<string, string>>
  readonly folders: AdapterFolders
  /** Where what the program writes about errors goes: nowhere, because it may quote requests, or where the worker's goes. */
  readonly errors: 'ignore' | 'inherit'
  /** Time to end its requests after SIGTERM, milliseconds. Then it is killed. */
  readonly graceMs: number
}

interface Started {
  readonly child: ChildProcess
  state: EngineState
  address: string | null
  readonly ended: Promise<void>
}

/** The first line that the program writes. */
const Ready = z.looseObject({ url: z.url({ protocol: /^http$/ }) })

/**
 * The small server of `trainers/`, one process for each engine, on loopback. A process ends with its worker, also with one
 * that is killed: its input is then closed.
 */
export function createProcessEngines(options: ProcessEnginesOptions): Engines & { close(): Promise<void> } {
  const { command, environment, folders, errors, graceMs } = options
  const started = new Map<string, Started>()

  function launch({ name, modelSource, baseModel }: EngineOrder): void {
    const [program, ...parameters] = command
    const own = [modelSource, '--name', baseModel, '--host', '127.0.0.1', '--port', '0', '--until-closed']
    const child = spawn(program, [...parameters, ...own], { env: environment, stdio: ['pipe', 'pipe', errors] })
    const { promise, resolve } = Promise.withResolvers<void>()
    const entry: Started = { child, state: 'starting', address: null, ended: promise }
    const end = () => {
      entry.state = 'exited'
      resolve()
    }
    child.once('exit', end)
    child.once('error', end)
    // A program that has exited does not read any more.
    child.stdin?.on('error', () => {})
    if (child.stdout !== null) {
      createInterface(child.stdout).once('line', (line) => {
        const ready = Ready.safeParse(parseJson(line))
        if (!ready.success || entry.state !== 'starting') return
        entry.address = new URL(ready.data.url).origin
        entry.state = 'running'
      })
    }
    started.set(name, entry)
  }

  async function stop(entry: Started, how: 'gracefully' | 'now'): Promise<void> {
    if (entry.state === 'exited') return
    entry.child.kill(how === 'now' ? 'SIGKILL' : 'SIGTERM')
    const timer = setTimeout(() => entry.child.kill('SIGKILL'), graceMs)
    await entry.ended
    clearTimeout(timer)
  }

  return {
    name: 'process',
    endsWithWorker: true,
    async start(order) {
      if (!started.has(order.name)) launch(order)
    },
    async stop(name, how) {
      const entry = started.get(name)
      if (entry !== undefined) await stop(entry, how)
    },
    list: async () => [...started].map(([name, { address, state }]) => ({ name, address, state })),
    async forget(name) {
      if (started.get(name)?.state !== 'exited') return
      started.delete(name)
      await folders.remove(name)
    },
    place: (engine, adapter) => folders.place(engine, adapter),
    discard: (engine, adapter) => folders.discard(engine, adapter),
    async close() {
      await Promise.all([...started.values()].map((entry) => stop(entry, 'now')))
    },
  }
}
