import { eventually } from '@ratchet/testing/eventually'
import type { Fleet } from '../fleet.ts'
import { readBilled } from './gather-evidence.ts'

/** What a request cost once that is known, nano-dollars; null when nothing was ever held for it. */
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
