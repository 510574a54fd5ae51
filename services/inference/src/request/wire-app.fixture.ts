import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createUpstream } from '@ratchet/http/create-upstream'
import { startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import { testNow } from '../app.fixture.ts'
import { loadCatalog, simulatedCatalogDir } from '../catalog/load-catalog.ts'
import { createProvider } from '../providers/create-provider.ts'
import { createDeploymentHealth } from '../routing/deployment-health.ts'
import type { ProviderDirectory } from '../routing/provider-directory.ts'
import { createRetryBudget } from '../routing/retry-budget.ts'
import { aliasedApp } from './aliased-app.fixture.ts'
import { testWorkspaceId } from './request-records.fixture.ts'

/** A request as it reached the provider. */
export interface SentRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on the wire's own shape
  readonly body: any
}

/** The models of the simulator that answer in place of those of the shipped catalog. */
const standIns: Readonly<Record<string, string>> = { openai: 'sim/reasoning-8', anthropic: 'sim-anthropic/tools' }

/**
 * The inference app with the shipped catalog and the simulated one. Every provider is the simulated one, which checks
 * requests as the real ones do; what it is sent is recorded.
 */
export async function startWireApp() {
  const simulated = await startSimulatedProvider()
  const sent: SentRequest[] = []
  const recorder = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    sent.push({ path: request.url ?? '', headers: request.headers, body })
    const headers = Object.fromEntries(
      ['content-type', 'x-api-key', 'authorization', 'x-goog-api-key', 'anthropic-version']
        .filter((name) => request.headers[name] !== undefined)
        .map((name) => [name, String(request.headers[name])]),
    )
    const stand = standIns[String(request.headers['x-api-key'] ?? request.headers.authorization).replace('Bearer ', '')]
    const placed = stand === undefined ? body : { ...body, model: stand }
    const answer = await fetch(`${simulated.baseUrl}${request.url}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(placed),
    })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  }).listen(0, '127.0.0.1')
  await once(recorder, 'listening')
  const origin = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`
  const upstream = createUpstream({ origin, connections: 8, connectTimeoutMs: 1_000 })
  const catalog = await loadCatalog(simulatedCatalogDir)
  const options = { clocks: { firstByteMs: 5_000, idleMs: 5_000, totalMs: 10_000 }, now: testNow }
  const directory: ProviderDirectory = {
    configured: () => new Set(catalog.providers.keys()),
    ejected: () => [],
    deploymentsOf: ({ id, provider, upstreamModel }) => {
      const { adapter, baseUrl } = catalog.providers.get(provider) ?? { adapter: 'openai' as const, baseUrl: origin }
      const access = { baseUrl: `${origin}${new URL(baseUrl).pathname.replace(/\/$/, '')}`, upstream, apiKey: provider }
      const limits = { concurrencyMax: 1_000, clockMs: () => 0, random: () => 0, onEjected() {} }
      const health = createDeploymentHealth(limits)
      const speaker = createProvider(adapter, access, options)
      return {
        deployments: [{ id, host: null, provider: speaker, upstreamModel, weight: 1, health }],
        budget: createRetryBudget(),
      }
    },
  }
  const { app, send, ledger } = aliasedApp({ routes: [], changes: { catalog, directory } })
  ledger.topUp(testWorkspaceId, 1_000_000_000_000n)
  return {
    app,
    sent,
    send,
    last: () => sent.at(-1),
    async stop() {
      await upstream.destroy()
      recorder.closeAllConnections()
      recorder.close()
      await simulated.stop()
    },
  }
}
