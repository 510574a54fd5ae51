import type { Brand } from '@ratchet/contracts/brand'
import { redactOptional } from '@ratchet/redaction/redact-identifier'
import type { ServedRequest } from '@ratchet/service-kit/http/served'
import { headerOf } from '../request/header-of.ts'
import type { Body } from '../wire/dialect.ts'

/** Longer names are cut, so that a client cannot fill the ledger with them. */
const maxLength = 128

/**
 * The end user that a request names: in the header of the fleet, else where its dialect has one (`safety_identifier` or `user` of
 * OpenAI's, `metadata.user_id` of Anthropic's). Null when it names none.
 */
export function endUserOf({ headers }: Pick<Brand, 'headers'>, request: ServedRequest, body: Body): string | null {
  const named = headerOf(request, headers.user) ?? text(body.safety_identifier) ?? text(body.user) ?? metadataUser(body)
  const name = named?.replaceAll('\0', '').slice(0, maxLength) ?? ''
  return name === '' ? null : redactOptional(name)
}

function metadataUser({ metadata }: Body): string | null {
  return typeof metadata === 'object' && metadata !== null && 'user_id' in metadata ? text(metadata.user_id) : null
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
