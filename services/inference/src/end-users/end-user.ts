import type { Brand } from '@ratchet/contracts/brand'
import { redactOptional } from '@ratchet/redaction/redact-identifier'
import type { ServedRequest } from '@ratchet/service-kit/http/served'
import { endUserId } from '@ratchet/service-kit/values/end-user-id'
import { headerOf } from '../request/header-of.ts'
import type { Body } from '../wire/dialect.ts'

/** Longer names are cut, so that a client cannot fill the ledger with them. */
const maxLength = 128

/** Somebody for whom a client of the workspace makes requests. */
export interface EndUser {
  /** What the ledger knows them by: their name can be erased, and a charge cannot be changed. */
  readonly id: string
  readonly name: string
}

/**
 * The end user that a request names: in the header of the fleet, else where its dialect has one (`safety_identifier` or `user` of
 * OpenAI's, `metadata.user_id` of Anthropic's). Null when it names none.
 */
export function endUserOf(
  { headers }: Pick<Brand, 'headers'>,
  {
    httpRequest,
    body,
    workspaceId,
  }: { readonly httpRequest: ServedRequest; readonly body: Body; readonly workspaceId: string },
): EndUser | null {
  const named =
    headerOf(httpRequest, headers.user) ?? text(body.safety_identifier) ?? text(body.user) ?? metadataUser(body)
  const name = redactOptional(named?.replaceAll('\0', '').slice(0, maxLength) ?? null)
  return name === null || name === '' ? null : { id: endUserId(workspaceId, name), name }
}

function metadataUser({ metadata }: Body): string | null {
  return typeof metadata === 'object' && metadata !== null && 'user_id' in metadata ? text(metadata.user_id) : null
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
