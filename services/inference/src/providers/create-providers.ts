import { createUpstream } from '@ratchet/http/create-upstream'
import type { CallClocks } from '@ratchet/http/upstream-call'
import type { OnStop } from '@ratchet/service-kit/run-process'
import type { CatalogProvider } from '../domain/catalog.ts'
import { openAiProvider } from './openai/openai-provider.ts'
import type { ChatProvider } from './provider.ts'

export interface CreateProvidersOptions {
  readonly providers: Iterable<CatalogProvider>
  /** Keys by the catalog's names for them; `<ID>_BASE_URL` sends a provider's calls elsewhere. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clocks: CallClocks
  readonly connectTimeoutMs: number
  /** Most connections to one provider. */
  readonly connections: number
  readonly onStop: OnStop
}

/** The providers that this deployment has a key for, by id. Each has a connection pool of its own. */
export function createProviders(options: CreateProvidersOptions): ReadonlyMap<string, ChatProvider> {
  const configured = [...options.providers].flatMap((provider) => {
    const apiKey = options.env[provider.apiKeyEnv]
    if (apiKey === undefined || apiKey === '' || provider.adapter !== 'openai') return []
    return [[provider.id, createProvider(provider, apiKey, options)] as const]
  })
  return new Map(configured)
}

function createProvider(provider: CatalogProvider, apiKey: string, options: CreateProvidersOptions): ChatProvider {
  const { env, clocks, connections, connectTimeoutMs, onStop } = options
  const baseUrl = env[`${provider.id.toUpperCase().replaceAll('-', '_')}_BASE_URL`] ?? provider.baseUrl
  const { origin, pathname } = new URL(baseUrl)
  const upstream = createUpstream({ origin, connections, connectTimeoutMs })
  onStop(() => upstream.destroy())
  return openAiProvider({ upstream, basePath: pathname === '/' ? '' : pathname, apiKey, clocks })
}
