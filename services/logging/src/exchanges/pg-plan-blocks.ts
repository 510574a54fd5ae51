import { encodeBlock } from '@ratchet/db/content-block'
import { batchesBySize } from './batches-by-size.ts'
import { expiryDay } from './expiry-day.ts'
import type { WholeExchange } from './logged-exchange.ts'

/** A block that is stored with its exchanges. */
export interface NewBlock {
  readonly id: string
  readonly workspaceId: string
  readonly day: string
  readonly exchanges: number
  readonly content: Buffer
}

export interface PlannedBlocks {
  readonly exchanges: readonly WholeExchange[]
  readonly blocks: readonly NewBlock[]
}

/** A read of one exchange decompresses its block: 64 KB take a tenth of a millisecond. */
const blockLimits = { maxItems: 32, maxBytes: 65_536 } as const

/** Puts exchanges of one workspace and one day of expiry into common blocks. */
export function planBlocks(exchanges: readonly WholeExchange[], newId: () => string): PlannedBlocks {
  const groups = Map.groupBy(exchanges, ({ workspaceId, expiresAt }) => `${workspaceId} ${expiryDay(expiresAt)}`)
  const planned = [...groups.values()].flatMap((group) =>
    [...batchesBySize(group, { ...blockLimits, bytesOf: ({ sizeBytes }) => sizeBytes })].flatMap((batch) =>
      planBlock(batch, newId()),
    ),
  )
  return { exchanges: planned.flatMap((plan) => plan.exchanges), blocks: planned.map(({ block }) => block) }
}

function planBlock(batch: readonly WholeExchange[], id: string) {
  const [first] = batch
  if (first === undefined) return []
  const block = {
    id,
    workspaceId: first.workspaceId,
    day: expiryDay(first.expiresAt),
    exchanges: batch.length,
    content: encodeBlock(batch),
  }
  return [{ block, exchanges: batch.map((exchange) => ({ ...exchange, blockId: id })) }]
}
