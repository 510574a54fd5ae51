import type { ProviderEntry } from '@ratchet/contracts/catalog-file'

/** How a provider differs from OpenAI in the way it is called. */
export interface ProviderQuirks {
  /** The header of the key; absent: `Authorization: Bearer`. */
  readonly apiKeyHeader?: 'api-key' | 'x-api-key'
  /** The path of chat completions in place of the base path, which is the catalog's; absent: below the base URL. */
  readonly chat?: { readonly path: string; readonly basePath: string }
  /** True when it is called without a key if there is none. */
  readonly keyIsOptional?: boolean
  /** True when it is off until the operator names its address. */
  readonly needsBaseUrl?: boolean
}

function basePathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '')
}

export function quirksOf(entry: ProviderEntry): ProviderQuirks {
  const { api_key_header, chat_path, api_key_optional, base_url_required } = entry
  return {
    ...(api_key_header === undefined ? {} : { apiKeyHeader: api_key_header }),
    ...(chat_path === undefined ? {} : { chat: { path: chat_path, basePath: basePathOf(entry.base_url) } }),
    ...(api_key_optional === true ? { keyIsOptional: true } : {}),
    ...(base_url_required === true ? { needsBaseUrl: true } : {}),
  }
}
