import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createUpstream } from '@ratchet/http/create-upstream'
import { testNow } from '../app.fixture.ts'
import { loadCatalog } from '../catalog/load-catalog.ts'
import { noReplicas } from '../dedicated/no-replicas.fixture.ts'
import { aliasedApp } from '../request/aliased-app.fixture.ts'
import { testWorkspaceId } from '../request/request-records.fixture.ts'
import { createProviderDirectory } from '../routing/create-provider-directory.ts'
import { createProvider } from './create-provider.ts'
import { platformBaseUrl, platformKey } from './platform-access.ts'

/* A provider of docs/providers.md as the recipe there sets it up, in front of a server with the provider's quirks. */

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as their readers would
export type WireBody = any

/** A request as it reached the provider. */
export interface HostRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: WireBody
}

/** What the provider answers: JSON with a status, or the frames of a stream. */
export type HostAnswer = { readonly status?: number; readonly json: object } | { readonly frames: string }

export type Host = (request: HostRequest) => HostAnswer

interface Recipe {
  /** The variables of the first block. */
  readonly env: Readonly<Record<string, string>>
  /** The catalog file of the second block; null when the shipped catalog has prices. */
  readonly catalog: string | null
}

const document = readFileSync(path.join(import.meta.dirname, '../../../../docs/providers.md'), 'utf8')

/** The ids of all providers that have a recipe. */
export const recipeIds = [...document.matchAll(/^## .+ \(`([a-z-]+)`\)$/gm)].map(([, id]) => id ?? '')

function recipeOf(id: string): Recipe {
  const section = document.split(/^## /m).find((each) => each.split('\n', 1)[0]?.endsWith(`(\`${id}\`)`)) ?? ''
  const block = (language: string) => section.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? null
  const exports = [...(block('sh') ?? '').matchAll(/^export (\w+)=(.+)$/gm)]
  return { env: Object.fromEntries(exports.map(([, name, value]) => [name, value])), catalog: block('json') }
}

/**
 * The inference app with the recipe of a provider, whose address is that of a server which answers as `host` says.
 *
 * @param basePath path of the address; null for that of the recipe
 */
export async function startRecipe(id: string, host: Host, basePath: string | null = null) {
  const recipe = recipeOf(id)
  const sent: HostRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const seen = {
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    }
    sent.push(seen)
    const answer = host(seen)
    if ('frames' in answer)
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer.frames)
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer.json))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const folder = mkdtempSync(path.join(tmpdir(), 'recipe-'))
  const catalogFile = path.join(folder, 'recipe.json')
  if (recipe.catalog !== null) writeFileSync(catalogFile, recipe.catalog)
  const catalog = await loadCatalog(...(recipe.catalog === null ? [] : [catalogFile]))
  rmSync(folder, { recursive: true })
  const provider = catalog.providers.get(id)
  if (provider === undefined) throw new Error(`no provider ${id}`)
  const variable = `${id.toUpperCase().replaceAll('-', '_')}_BASE_URL`
  const documented = recipe.env[variable] ?? provider.baseUrl
  const address = new URL(documented)
  const env = { ...recipe.env, [variable]: `${origin}${basePath ?? address.pathname}${address.search}` }
  const upstream = createUpstream({ origin, connections: 8, connectTimeoutMs: 1_000 })
  const adapters = { clocks: { firstByteMs: 5_000, idleMs: 5_000, totalMs: 10_000 }, now: testNow }
  const directory = createProviderDirectory({
    catalog,
    keyOf: (name, each) => platformKey(env, each, name),
    baseUrlOf: (each) => platformBaseUrl(env, each),
    createProvider: ({ adapter, ...place }) => createProvider(adapter, { ...place, upstream }, adapters),
    workspaceProvider: () => {
      throw new Error('no workspace has a key')
    },
    replicas: noReplicas,
    concurrencyMax: 10,
    clockMs: () => 0,
    random: () => 0,
    onEjected() {},
  })
  const app = aliasedApp({ routes: [], changes: { catalog, directory } })
  app.ledger.topUp(testWorkspaceId, 1_000_000_000_000n)
  const { balanceNano: before } = app.ledger.wallet(testWorkspaceId)
  const model = catalog.models.find((each) => each.provider === id)?.id ?? ''
  return {
    model,
    sent,
    send: app.send,
    /** Spent so far, nano-dollars. */
    spentNano: () => before - app.ledger.wallet(testWorkspaceId).balanceNano,
    async stop() {
      await upstream.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}
