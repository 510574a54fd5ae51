import { requestIdHeader } from '@ratchet/contracts/identity'
import type { Request } from 'express'
import { uuidV7 } from './ids.ts'

/** Names requests behind the edge as it named them; a caller that comes past it may have sent no id, and gets a new one. */
export function forwardedId(now: () => Date): (request: Request) => string {
  return (request) => {
    const id = request.get(requestIdHeader) ?? ''
    return id === '' ? uuidV7(now().getTime()) : id
  }
}
