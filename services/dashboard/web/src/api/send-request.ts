import { UnreachableError } from './api-error.ts'

/** Sends a request of a page. Rejects with an `UnreachableError` when there is no answer. */
export async function sendRequest(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new UnreachableError()
  }
}
