import { ServiceError } from './service-error.ts'

/**
 * Reads a header that is `on` or `off`, in any case. Null when it is absent.
 *
 * @throws ServiceError `invalid_request` naming the header when it has another value: a caller who wrote `false` did not
 *   want the default
 */
export function readSwitch(value: string | undefined, header: string): boolean | null {
  const word = value?.trim().toLowerCase()
  if (word === undefined) return null
  if (word === 'on') return true
  if (word === 'off') return false
  throw new ServiceError('invalid_request', `${header} must be on or off.`, { param: header })
}
