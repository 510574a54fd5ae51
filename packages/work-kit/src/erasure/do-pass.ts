import { passes } from '@ratchet/contracts/erasure-passes'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { type Erasure, type ErasureRooms, ErasureWaits } from './erasure.ts'
import type { ErasureParts } from './pg-parts.ts'

export interface PassDeps {
  readonly pool: Pool
  readonly parts: ErasureParts
  readonly rooms: ErasureRooms
}

/** A process that died holds its part for so long. */
export const erasureLeaseMs = 30_000
const waitMs = 5_000

/** Does the work of one pass. It can be interrupted at any point, and begins again with what is left. */
export async function doPass({ pool, parts, rooms }: PassDeps, erasure: Erasure): Promise<void> {
  try {
    await rooms.find(erasure)
    if (erasure.pass === passes.lastFinding) await parts.found(erasure, await countAll(rooms, erasure))
    if (erasure.pass >= passes.firstErasing) await eraseAll({ pool, parts, rooms }, erasure)
    await parts.endPass(erasure, (await rooms.kept?.(erasure)) ?? {})
  } catch (error) {
    const reason = error instanceof ErasureWaits ? error.message : 'an error; the work is tried again'
    await parts.wait(erasure, reason, waitMs)
    if (!(error instanceof ErasureWaits)) throw error
  }
}

async function countAll({ steps }: ErasureRooms, erasure: Erasure): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const step of steps) {
    const count = await step.count(erasure)
    if (count > 0) counts[step.kind] = (counts[step.kind] ?? 0) + count
  }
  return counts
}

async function eraseAll({ pool, parts, rooms }: PassDeps, erasure: Erasure): Promise<void> {
  for (const step of rooms.steps) {
    for (;;) {
      const erased = await inTransaction(pool, async (client) => {
        const count = await step.erase(client, erasure)
        if (count > 0) await parts.addErased(client, erasure, step.kind, count, erasureLeaseMs)
        return count
      })
      if (erased === 0) break
    }
  }
}
