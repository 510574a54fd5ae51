import { asObject, type Fields, parseJson } from '@ratchet/service-kit/values/json'
/** Either a Bedrock API key, which is sent as it is, or an AWS access key that signs each call. */
export type BedrockCredentials =
  | { readonly kind: 'bearer'; readonly key: string; readonly region: string | null }
  | {
      readonly kind: 'signature'
      readonly accessKeyId: string
      readonly secretAccessKey: string
      readonly sessionToken: string | null
      /** The region that the credentials are for; null when they name none. */
      readonly region: string | null
    }

/** A printable header value without spaces, which is the form of all credentials of AWS. */
const printable = /^[\x21-\x7e]{1,8192}$/
/** The region becomes part of a host name, so nothing else may match. */
const regionName = /^[a-z]{2,4}(-[a-z]{2,12}){1,3}-\d{1,2}$/

/**
 * Reads the string that a workspace stores as its key: a Bedrock API key, or JSON with `access_key_id`,
 * `secret_access_key` and optionally `session_token` and `region`. Null when it is neither.
 */
export function readBedrockCredentials(text: string): BedrockCredentials | null {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{')) return printable.test(trimmed) ? { kind: 'bearer', key: trimmed, region: null } : null
  const fields = asObject(parseJson(trimmed))
  if (fields === null) return null
  return signing({
    accessKeyId: fields.access_key_id,
    secretAccessKey: fields.secret_access_key,
    sessionToken: fields.session_token,
    region: fields.region,
  })
}

/**
 * The platform's own credentials, from the variables that AWS's tools read. An API key takes precedence over an access
 * key.
 */
export function bedrockCredentialsFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): BedrockCredentials | null {
  const set = (name: string) => (env[name] === '' ? undefined : env[name])
  const region = set('AWS_REGION') ?? set('AWS_DEFAULT_REGION')
  const key = set('AWS_BEARER_TOKEN_BEDROCK')
  if (key === undefined) {
    return signing({
      accessKeyId: set('AWS_ACCESS_KEY_ID'),
      secretAccessKey: set('AWS_SECRET_ACCESS_KEY'),
      sessionToken: set('AWS_SESSION_TOKEN'),
      region,
    })
  }
  const read = readRegion(region)
  return printable.test(key) && read !== undefined ? { kind: 'bearer', key, region: read } : null
}

function signing({ accessKeyId, secretAccessKey, sessionToken, region }: Fields): BedrockCredentials | null {
  const read = readRegion(region)
  if (!isPrintable(accessKeyId) || !isPrintable(secretAccessKey) || read === undefined) return null
  if (sessionToken === undefined || sessionToken === null) {
    return { kind: 'signature', accessKeyId, secretAccessKey, sessionToken: null, region: read }
  }
  return isPrintable(sessionToken)
    ? { kind: 'signature', accessKeyId, secretAccessKey, sessionToken, region: read }
    : null
}

/** Undefined when the value is not a valid region. */
function readRegion(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return null
  return typeof value === 'string' && regionName.test(value) ? value : undefined
}

function isPrintable(value: unknown): value is string {
  return typeof value === 'string' && printable.test(value)
}
