import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type Clock, processClock } from './clock.ts'
import { createAttempts } from './control/attempts.ts'
import { createPromptCache } from './control/prompt-cache.ts'
import { createRecorder } from './control/recorder.ts'
import type { SimulatedReport } from './control/report.ts'
import { createScripts, type Script } from './control/scripts.ts'
import { createControl } from './control/serve-control.ts'
import { handleRequests } from './handle-request.ts'

export interface SimulatedProviderOptions {
  /** 0 (the default) selects a free port. */
  port?: number
  host?: string
  /** The same seed and request give the same answer. */
  seed?: string
  /** False stores only totals, for benchmarks. */
  record?: boolean
  clock?: Clock
}

/** A running provider, and in-process access to its control endpoints. */
export interface SimulatedProvider {
  /** Origin without a path, `http://127.0.0.1:4010`: OpenAI's base URL is this plus `/v1`. */
  baseUrl: string
  port: number
  /** Closes the listener, gives running replies `graceMs` (default 0) to end, then drops the connections. */
  stop(graceMs?: number): Promise<void>
  report(filter?: { model?: string; since?: number }): Promise<SimulatedReport>
  /** Deletes rows, totals, scripts and attempts. */
  reset(): Promise<void>
  /** Makes the next `count` requests of a model misbehave. @throws RangeError for an unknown behaviour */
  script(script: Script): Promise<void>
}

const maxRows = 50_000
const maxAttempts = 10_000
const maxPrompts = 50_000

/** Starts a simulated LLM provider with OpenAI's wire format: without a model, a network or randomness. */
export async function startSimulatedProvider(options: SimulatedProviderOptions = {}): Promise<SimulatedProvider> {
  const { host = '127.0.0.1', port = 0, seed = 'ratchet', record = true, clock = processClock } = options
  const recorder = createRecorder(record ? maxRows : 0)
  const attempts = createAttempts(maxAttempts)
  const state = { seed, clock, recorder, scripts: createScripts(), attempts, prompts: createPromptCache(maxPrompts) }
  const control = createControl(state)
  const server = createServer({ keepAliveTimeout: 120_000, requestTimeout: 0 }, handleRequests(state, control))
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address')
  return {
    baseUrl: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    stop: (graceMs = 0) => stopServer(server, clock, graceMs),
    report: async (filter) => control.report(filter),
    reset: async () => control.reset(),
    script: async (script) => control.script(script),
  }
}

async function stopServer(server: Server, clock: Clock, graceMs: number): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const cancel = clock.after(graceMs, () => server.closeAllConnections())
  await closed
  cancel()
}
