import type { Brand } from '@ratchet/contracts/brand'
import type { CapturedMeta } from '@ratchet/contracts/captured-exchange'
import type { ServedRequest } from '@ratchet/service-kit/http/served'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { headerOf } from './header-of.ts'

type ClientMetadata = Pick<CapturedMeta, 'user' | 'conversationId' | 'metadata'>

const maxIdLength = 128
const maxValueLength = 256
const maxNames = 8

/**
 * The end user, the session and the metadata that headers of a request name for the log. They are never sent to a provider.
 *
 * @throws ServiceError `invalid_request` naming the header that is too long, or one too many
 */
export function clientMetadataOf(brand: Brand, request: ServedRequest): ClientMetadata {
  const { headers } = brand
  const prefix = `${headers.metadata.toLowerCase()}-`
  const names = Object.keys(request.headers).filter((name) => name.startsWith(prefix) && name.length > prefix.length)
  if (names.length > maxNames) {
    throw new ServiceError('invalid_request', `At most ${maxNames} headers may begin with ${headers.metadata}-.`, {
      param: headers.metadata,
    })
  }
  const metadata = names.map((name) => [
    name.slice(prefix.length),
    checked(request, { name, title: `${headers.metadata}-${name.slice(prefix.length)}`, maxLength: maxValueLength }),
  ])
  return {
    user: checked(request, { name: headers.user, title: headers.user, maxLength: maxIdLength }),
    conversationId: conversationIdOf(brand, request),
    metadata: Object.fromEntries(metadata.filter(([, value]) => value !== null)),
  }
}

/**
 * The session that a request names; null when it names none.
 *
 * @throws ServiceError `invalid_request` naming the header when it is too long
 */
export function conversationIdOf({ headers }: Brand, request: ServedRequest): string | null {
  return checked(request, { name: headers.session, title: headers.session, maxLength: maxIdLength })
}

interface CheckedHeader {
  readonly name: string
  readonly title: string
  readonly maxLength: number
}

function checked(request: ServedRequest, { name, title, maxLength }: CheckedHeader): string | null {
  const value = headerOf(request, name)
  if (value === null || (value.length <= maxLength && /^[\x20-\x7e]*$/.test(value))) return value
  throw new ServiceError('invalid_request', `${title} must have at most ${maxLength} printable ASCII characters.`, {
    param: title,
  })
}
