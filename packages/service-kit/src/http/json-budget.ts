import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { Request, Response } from 'express'
import { workspaceOf } from '../identity/require-identity.ts'
import type { BodyBudget, HeldBody } from './body-budget.ts'

/** Bytes of JSON that the requests of an app hold at a time. A workspace may hold a quarter, which is the largest body. */
export const maxJsonBytesAtOnce = 64 * mebibyte

/** Where an app keeps its budget, among the values that its routes can read. */
export const jsonBudgetName = 'jsonBudget'

/**
 * Counts the bytes of a body against its owner as they arrive, until the request is over: a sender decides how long a body
 * takes, and many that are sent slowly would fill the memory. Beyond the owner's share, the rest of the body is discarded
 * and `refuse` is called.
 */
export function countJson(request: Request, response: Response, refuse: (error: unknown) => void): void {
  const budget: BodyBudget | undefined = request.app.locals[jsonBudgetName]
  if (budget === undefined) return
  const held: HeldBody = budget.enter(request.bodyOwner ?? workspaceOf(request) ?? 'anyone')
  response.once('close', () => held.leave())
  request.on('data', (chunk: Buffer) => {
    try {
      held.add(chunk.length)
    } catch (error) {
      request.removeAllListeners('data').resume()
      refuse(error)
    }
  })
}
