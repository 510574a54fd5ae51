import { KeyChangeUnconfirmed } from '@ratchet/db/change-keys'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/**
 * What a person reads when a change is saved, and it is not known that every edge applies it.
 *
 * @throws ServiceError 503
 */
export async function asUnconfirmed<T>(change: Promise<T>): Promise<T> {
  try {
    return await change
  } catch (cause) {
    if (!(cause instanceof KeyChangeUnconfirmed)) throw cause
    const message =
      'The change is saved, but requests may be answered as before for up to three seconds. Repeat it to be sure.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 3, cause })
  }
}
