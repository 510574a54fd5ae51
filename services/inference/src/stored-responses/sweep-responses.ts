import type { ResponseStore } from './stored-response.ts'

const rowsPerStatement = 500

/**
 * Deletes every response that has expired at this time and returns their number. Any process may call it at any time.
 */
export async function sweepResponses(store: ResponseStore, at: Date): Promise<number> {
  let swept = 0
  for (;;) {
    const removed = await store.sweep(at, rowsPerStatement)
    swept += removed
    if (removed < rowsPerStatement) return swept
  }
}
