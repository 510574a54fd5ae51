import { decideRetry } from './decide-retry.ts'
import type { ItemStore, Lease, LeasedItem } from './leased-item.ts'
import { withLease } from './with-lease.ts'

/** How one attempt at an item ended. `lost`: another worker leased the item meanwhile and this result was not saved. */
export type AttemptEnd<Outcome> =
  | { readonly kind: 'completed'; readonly outcome: Outcome }
  | { readonly kind: 'lost' }
  | { readonly kind: 'postponed' | 'retried' | 'dead_lettered'; readonly cause: unknown }

export interface ItemWork<Item extends LeasedItem, Outcome> {
  readonly items: Pick<ItemStore<Item>, 'lease' | 'renew' | 'release'>
  /** @throws WorkPostponed, or any other error when a retry may succeed */
  readonly process: (item: Item) => Promise<Outcome>
  /** Saves the outcome. Resolves with false when the lease was lost. */
  readonly complete: (item: Lease, outcome: Outcome) => Promise<boolean>
  readonly onEnd: (end: AttemptEnd<Outcome>) => void
}

/**
 * Processes one item, if it is due. Concurrent calls for one item are safe: the lease admits one of them. Failed work is
 * retried later or dead-lettered.
 *
 * @param due the id of an item, or an item that this process has just leased
 * @returns the item when this call held its lease, otherwise null
 * @throws what the store throws; the item is then due again when its lease ends
 */
export function processItem<Item extends LeasedItem, Outcome>(
  { items, process, complete, onEnd }: ItemWork<Item, Outcome>,
  due: string | Item,
): Promise<Item | null> {
  return withLease(items, due, async (item) => {
    try {
      const outcome = await process(item)
      onEnd((await complete(item, outcome)) ? { kind: 'completed', outcome } : { kind: 'lost' })
    } catch (cause) {
      const decision = decideRetry(cause, item.failures)
      await items.release(item, decision)
      onEnd({ kind: decision.kind, cause })
    }
  })
}
