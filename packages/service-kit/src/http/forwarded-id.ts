import { requestIdHeader } from '@ratchet/contracts/identity'
import { uuidV7 } from '../values/ids.ts'
import type { ServedRequest } from './served.ts'

/** Returns the request id that the edge set. A request that did not come through the edge may have none and gets a new one. */
export function forwardedId(now: () => Date): (request: Pick<ServedRequest, 'headers'>) => string {
  return (request) => {
    const id = request.headers[requestIdHeader]?.toString() ?? ''
    return id === '' ? uuidV7(now().getTime()) : id
  }
}
