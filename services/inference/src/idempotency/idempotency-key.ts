import { createHash } from 'node:crypto'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

const header = 'Idempotency-Key'

/**
 * The key of a request, or null when it has none.
 *
 * @throws ServiceError `invalid_request` naming the header when it is not 1 to 255 visible ASCII characters
 */
export function readIdempotencyKey(value: string | undefined): string | null {
  if (value === undefined) return null
  if (/^[\x21-\x7e]{1,255}$/.test(value)) return value
  throw new ServiceError('invalid_request', `${header} must be 1 to 255 visible ASCII characters.`, { param: header })
}

/** The database stores only the hash of a key. */
export function hashIdempotencyKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
