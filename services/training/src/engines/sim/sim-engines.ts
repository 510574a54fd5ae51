import { setTimeout as wait } from 'node:timers/promises'
import { createUpstream } from '@ratchet/http/create-upstream'
import type { AdapterFolders } from '../adapter-folders.ts'
import type { EngineOrder, EngineState, Engines } from '../engines.ts'
import { type SimEngineServer, type SimEngineServerOptions, startSimEngineServer } from './sim-engine-server.ts'

export interface SimEnginesOptions {
  /** Origin of the simulated provider. */
  readonly providerUrl: string
  readonly folders: AdapterFolders
  /** How long an engine takes to start, milliseconds. */
  readonly startMs: number
  readonly now: () => Date
  readonly answering?: SimEngineServerOptions['answering']
}

interface Started {
  state: EngineState
  server: SimEngineServer | null
  readonly stopped: AbortController
}

/** Connections of all engines to the simulated provider. */
const connections = 256

/** Engines without a model, as servers of this process. They show everything that an engine does but speed. */
export function createSimEngines({ providerUrl, folders, startMs, now, answering }: SimEnginesOptions): Engines & {
  close(): Promise<void>
} {
  const started = new Map<string, Started>()
  const provider = createUpstream({ origin: providerUrl, connections, connectTimeoutMs: 5_000 })

  async function run(order: EngineOrder, entry: Started): Promise<void> {
    const { baseModel, maxAdapters, maxContextLength } = order
    try {
      await wait(startMs, undefined, { signal: entry.stopped.signal })
      const own = { baseModel, maxAdapters, maxContextLength, provider, now }
      entry.server = await startSimEngineServer(answering === undefined ? own : { ...own, answering })
      entry.state = 'running'
      if (entry.stopped.signal.aborted) await end(entry, 'now')
    } catch {
      entry.state = 'exited'
    }
  }

  async function end(entry: Started, how: 'gracefully' | 'now'): Promise<void> {
    entry.stopped.abort()
    await entry.server?.stop(how)
    entry.state = 'exited'
  }

  return {
    name: 'sim',
    endsWithWorker: true,
    async start(order) {
      if (started.has(order.name)) return
      const entry: Started = { state: 'starting', server: null, stopped: new AbortController() }
      started.set(order.name, entry)
      void run(order, entry)
    },
    async stop(name, how) {
      const entry = started.get(name)
      if (entry !== undefined && entry.state !== 'exited') await end(entry, how)
    },
    list: async () =>
      [...started].map(([name, { state, server }]) => ({ name, address: server?.address ?? null, state })),
    async forget(name) {
      if (started.get(name)?.state !== 'exited') return
      started.delete(name)
      await folders.remove(name)
    },
    place: (engine, adapter) => folders.place(engine, adapter),
    discard: (engine, adapter) => folders.discard(engine, adapter),
    async close() {
      await Promise.all([...started.values()].map((entry) => end(entry, 'now')))
      await provider.destroy()
    },
  }
}
