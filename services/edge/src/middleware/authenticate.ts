import type { RequestHandler } from 'express'
import { bearerKey } from '../domain/bearer-key.ts'
import type { KeyUseLog } from '../keys/key-use.ts'
import type { KeyVerifier } from '../keys/key-verifier.ts'
import { passageOf } from '../passage.ts'

export interface AuthenticateOptions {
  readonly keys: KeyVerifier
  readonly keyUse: Pick<KeyUseLog, 'note'>
  readonly now: () => Date
}

/** Lets requests with a live key pass, on every path that is not open: an unknown URL with a bad key is a 401. */
export function authenticate({ keys, keyUse, now }: AuthenticateOptions): RequestHandler {
  return (request, _response, next) => {
    const passage = passageOf(request)
    const address = request.socket.remoteAddress ?? ''
    keys.verify(bearerKey(passage.head.authorization), address).then((identity) => {
      passage.identity = identity
      keyUse.note(identity.keyId, now())
      next()
    }, next)
  }
}
