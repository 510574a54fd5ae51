import type { CallClocks } from '@ratchet/http/upstream-call'
import type { Dispatcher } from 'undici'
import type { CatalogProvider } from '../catalog/catalog.ts'
import type { ProviderQuirks } from '../catalog/provider-quirks.ts'
import { messagesOverChat } from '../wire/messages/messages-over-chat.ts'
import type { Provider } from '../wire/provider.ts'
import { responsesOverChat } from '../wire/responses/responses-over-chat.ts'
import { withTranslations } from '../wire/with-translations.ts'
import { anthropicProvider } from './anthropic/anthropic-provider.ts'
import { readBedrockCredentials } from './bedrock/bedrock-credentials.ts'
import { bedrockProvider } from './bedrock/bedrock-provider.ts'
import { regionOf } from './bedrock/regional-url.ts'
import { googleProvider } from './google/google-provider.ts'
import { openAiProvider } from './openai/openai-provider.ts'

/** The connection, the address and the key of a provider. */
export interface ProviderAccess {
  /** The address that the dispatcher connects to, without a slash at the end. */
  readonly baseUrl: string
  readonly upstream: Dispatcher
  /** For Bedrock in the form that `readBedrockCredentials` reads. */
  readonly apiKey: string
  readonly quirks?: ProviderQuirks | undefined
}

export interface AdapterOptions {
  readonly clocks: CallClocks
  readonly now: () => Date
}

/**
 * The adapter of the provider, with every dialect that chat completions can be translated to.
 *
 * @throws RangeError when a key of Bedrock is invalid
 */
export function createProvider(
  adapter: CatalogProvider['adapter'],
  access: ProviderAccess,
  options: AdapterOptions,
): Provider {
  return withTranslations(adapterOf(adapter, access, options), [messagesOverChat, responsesOverChat])
}

function adapterOf(adapter: CatalogProvider['adapter'], access: ProviderAccess, options: AdapterOptions): Provider {
  const { host, pathname } = new URL(access.baseUrl)
  const common = { ...options, upstream: access.upstream, basePath: pathname.replace(/\/$/, '') }
  const { apiKey } = access
  switch (adapter) {
    case 'openai':
      return openAiProvider({ ...common, apiKey, quirks: access.quirks })
    case 'anthropic':
      return anthropicProvider({ ...common, apiKey })
    case 'google':
      return googleProvider({ ...common, apiKey })
    case 'bedrock': {
      const credentials = readBedrockCredentials(apiKey)
      if (credentials === null) throw new RangeError('neither a Bedrock API key nor an AWS access key')
      const region = credentials.region ?? regionOf(access.baseUrl) ?? 'us-east-1'
      return bedrockProvider({ ...common, host, region, credentials })
    }
    default:
      throw new Error(`no adapter ${String(adapter satisfies never)}`)
  }
}
