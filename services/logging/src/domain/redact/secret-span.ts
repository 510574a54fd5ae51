import type { cloudTokens } from './cloud-tokens.ts'
import type { modelTokens } from './model-tokens.ts'
import type { serviceTokens } from './service-tokens.ts'

/** What kind of secret was found; stored with the exchange, never the secret. */
export type Kind =
  | (typeof modelTokens)[number]['kind']
  | (typeof cloudTokens)[number]['kind']
  | (typeof serviceTokens)[number]['kind']
  | ShapedKind
  | UrlKind
  | AssignedKind

/** Kinds that are known by their shape rather than by a prefix. */
export type ShapedKind =
  | 'aws_secret_key'
  | 'azure_client_secret'
  | 'discord_token'
  | 'gcp_service_account_key'
  | 'jwt'
  | 'mailchimp_key'
  | 'mailgun_key'
  | 'onepassword_token'
  | 'pgp_private_key'
  | 'private_key'
  | 'telegram_token'
  | 'terraform_token'

/** Passwords in URLs, by what the URL leads to. */
export type UrlKind = 'amqp_url' | 'mongodb_url' | 'mysql_url' | 'postgres_url' | 'redis_url' | 'url_password'

/** Values that are known by the name they are assigned to. */
export type AssignedKind =
  | 'authorization'
  | 'aws_secret_key'
  | 'azure_sas'
  | 'azure_storage_key'
  | 'cloudflare_token'
  | 'heroku_key'
  | 'password'
  | 'secret'
  | 'twilio_key'

/** A secret's place in a text: `[start, end)`. */
export interface SecretSpan {
  readonly start: number
  readonly end: number
  readonly kind: Kind
}

/** Kinds that say little of what was found, the least telling first. */
const vague: readonly Kind[] = ['secret', 'password', 'authorization', 'url_password', 'bearer_token']

/** The spans in order, those that overlap made one, which is of the most telling kind among them. */
export function mergeSpans(spans: readonly SecretSpan[]): SecretSpan[] {
  const merged: SecretSpan[] = []
  for (const span of inOrder(spans)) {
    const last = merged.at(-1)
    if (last === undefined || span.start >= last.end) merged.push(span)
    else merged[merged.length - 1] = union(last, span)
  }
  return merged
}

/** One walk finds spans in order, as long as they need not be merged with those of another. */
function inOrder(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const isOrdered = spans.every((span, index) => index === 0 || (spans[index - 1]?.start ?? 0) < span.start)
  return isOrdered ? spans : spans.toSorted((a, b) => a.start - b.start || b.end - a.end)
}

function union(first: SecretSpan, second: SecretSpan): SecretSpan {
  const kind = distinctive(second.kind) > distinctive(first.kind) ? second.kind : first.kind
  return { start: first.start, end: Math.max(first.end, second.end), kind }
}

function distinctive(kind: Kind): number {
  const at = vague.indexOf(kind)
  return at < 0 ? vague.length : at
}
