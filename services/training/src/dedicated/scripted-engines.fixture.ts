import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { EngineOrder, EngineState, Engines } from '../engines/engines.ts'

interface Scripted {
  readonly order: EngineOrder
  state: EngineState
  server: Server | null
  /** Whether it says that it is well. */
  isHealthy: boolean
  /** Share of its KV cache that it says to be in use; null: nothing. */
  cacheUsed: number | null
  /** Names of adapters that it has. */
  readonly loaded: Set<string>
}

export interface ScriptedEngines extends Engines {
  readonly started: Map<string, Scripted>
  /** What those do that are started from now on. */
  script(start: 'runs' | 'starts' | 'exits' | 'waits'): void
  /** Lets one that starts run. */
  run(name: string): Promise<void>
  close(): Promise<void>
}

/** Engines that answer what the control of endpoints asks, on loopback. */
export function scriptedEngines(): ScriptedEngines {
  const started = new Map<string, Scripted>()
  let next: 'runs' | 'starts' | 'exits' | 'waits' = 'runs'

  async function run(name: string): Promise<void> {
    const entry = started.get(name)
    if (entry === undefined) throw new Error(`no engine ${name}`)
    const server = createServer((request, response) => {
      if (request.url === '/health') return response.writeHead(entry.isHealthy ? 200 : 500).end()
      if (request.url === '/metrics') {
        const requests = 'vllm:lora_requests_info{running_lora_adapters="",waiting_lora_adapters=""} 1\n'
        return response.end(
          entry.cacheUsed === null ? requests : `vllm:kv_cache_usage_perc{engine="0"} ${entry.cacheUsed}\n`,
        )
      }
      if (request.url === '/v1/unload_lora_adapter') {
        return void json(request).then((body) => {
          entry.loaded.delete((body as { readonly lora_name: string }).lora_name)
          response.end('Success')
        })
      }
      return response.end(JSON.stringify({ data: [entry.order.baseModel, ...entry.loaded].map((id) => ({ id })) }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    entry.server = server
    entry.state = 'running'
  }

  const stop = async (name: string) => {
    const entry = started.get(name)
    if (entry === undefined) return
    entry.state = 'exited'
    entry.server?.closeAllConnections()
    entry.server?.close()
  }

  return {
    name: 'scripted',
    endsWithWorker: true,
    started,
    script: (start) => {
      next = start
    },
    run,
    async start(order) {
      if (started.has(order.name)) return
      const states = { runs: 'starting', starts: 'starting', exits: 'exited', waits: 'waiting' } as const
      started.set(order.name, {
        order,
        state: states[next],
        server: null,
        isHealthy: true,
        cacheUsed: null,
        loaded: new Set(),
      })
      if (next === 'runs') await run(order.name)
    },
    stop,
    list: async () =>
      [...started].map(([name, { state, server }]) => {
        const port = (server?.address() as AddressInfo | null)?.port
        return { name, state, address: port === undefined ? null : `http://127.0.0.1:${port}` }
      }),
    async forget(name) {
      if (started.get(name)?.state === 'exited') started.delete(name)
    },
    place: () => Promise.reject(new Error('not used')),
    discard: async () => {},
    async close() {
      await Promise.all([...started.keys()].map(stop))
    },
  }
}
