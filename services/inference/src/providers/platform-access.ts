import type { CatalogProvider } from '../catalog/catalog.ts'
import { bedrockCredentialsFromEnv, readBedrockCredentials } from './bedrock/bedrock-credentials.ts'
import { regionalUrl } from './bedrock/regional-url.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The platform's key for a provider, from the variable that the catalog names; empty when the provider needs none. Null
 * when the provider is off: it has no key, or no address.
 */
export function platformKey(env: Env, { id, adapter, quirks }: CatalogProvider, variable: string): string | null {
  if (quirks?.needsBaseUrl === true && (env[addressVariable(id)] ?? '') === '') return null
  const key = env[variable] ?? ''
  if (key !== '') return key
  if (quirks?.keyIsOptional === true) return ''
  return adapter === 'bedrock' && variable === 'AWS_BEARER_TOKEN_BEDROCK' ? awsAccessKey(env) : null
}

/**
 * The address at which the platform calls a provider: `<ID>_BASE_URL`, else that of the catalog, for Bedrock in the
 * region of the key.
 *
 * @param ownKey the key of a workspace, when it is used in place of the platform's
 */
export function platformBaseUrl(env: Env, { id, adapter, baseUrl }: CatalogProvider, ownKey?: string): string {
  const override = env[addressVariable(id)] ?? ''
  if (override !== '') return override.replace(/\/$/, '')
  if (adapter !== 'bedrock') return baseUrl
  const credentials = ownKey === undefined ? bedrockCredentialsFromEnv(env) : readBedrockCredentials(ownKey)
  return regionalUrl(baseUrl, credentials?.region ?? null)
}

/** The variable with the address of a provider. */
function addressVariable(id: string): string {
  return `${id.toUpperCase().replaceAll('-', '_')}_BASE_URL`
}

/** An AWS access key in the format in which workspaces enter theirs. */
function awsAccessKey(env: Env): string | null {
  const credentials = bedrockCredentialsFromEnv(env)
  if (credentials?.kind !== 'signature') return null
  return JSON.stringify({
    access_key_id: credentials.accessKeyId,
    secret_access_key: credentials.secretAccessKey,
    session_token: credentials.sessionToken,
    region: credentials.region,
  })
}
