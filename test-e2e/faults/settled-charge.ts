import { eventually } from '@ratchet/testing/eventually'
import type { Fleet } from '../fleet.ts'
import { readBilled } from './gather-evidence.ts'

/** Waits until a request is settled; resolves with its charge in nano-dollars, or null when it had no hold. */
export async function settledCharge(fleet: Fleet, requestId: string | null): Promise<bigint | null> {
  return eventually(
    async () => {
      const row = (await readBilled(fleet)).find((each) => each.requestId === requestId)
      if (row?.state === 'open') return null
      return { cost: row?.cost ?? null }
    },
    { withinMs: 20_000, everyMs: 50 },
  ).then(({ cost }) => cost)
}
