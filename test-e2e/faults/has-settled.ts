import { promisify } from 'node:util'

const nextTurn = promisify(setImmediate)

/** Whether a promise is resolved by now; a rejection is thrown. */
export function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), nextTurn().then(() => false)])
}
