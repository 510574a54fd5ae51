import { requestIdHeader } from '@ratchet/contracts/identity'
import type { Request } from 'express'
import { uuidV7 } from '../values/ids.ts'

/** Returns the request id that the edge set. A request that did not come through the edge may have none and gets a new one. */
export function forwardedId(now: () => Date): (request: Request) => string {
  return (request) => {
    const id = request.get(requestIdHeader) ?? ''
    return id === '' ? uuidV7(now().getTime()) : id
  }
}
