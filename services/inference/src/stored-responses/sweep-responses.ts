import type { ResponseStore } from './stored-response.ts'

const rowsPerStatement = 500

/** Removes every response that has expired by then. Any process may do so at any time. Answers how many. */
export async function sweepResponses(store: ResponseStore, at: Date): Promise<number> {
  let swept = 0
  for (;;) {
    const removed = await store.sweep(at, rowsPerStatement)
    swept += removed
    if (removed < rowsPerStatement) return swept
  }
}
