import { createHash } from 'node:crypto'
import type { Verdict } from '@ratchet/contracts/criteria'

export interface ItemSplit<Item> {
  /** For tuning a prompt. */
  readonly train: readonly Item[]
  /** For measuring it; never used before that. */
  readonly holdout: readonly Item[]
}

/** Splits each class of graded items in halves, ordered by a hash of the item: the same items give the same halves. */
export function splitItems<Item extends { readonly itemKey: string; readonly human: Verdict }>(
  items: readonly Item[],
): ItemSplit<Item> {
  const ranked = items.toSorted((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1))
  const sides = [...Map.groupBy(ranked, ({ human }) => human).values()].map((ofClass) => ({
    train: ofClass.filter((_, index) => index % 2 === 0),
    holdout: ofClass.filter((_, index) => index % 2 === 1),
  }))
  return { train: sides.flatMap(({ train }) => train), holdout: sides.flatMap(({ holdout }) => holdout) }
}

function rankOf({ itemKey }: { readonly itemKey: string }): string {
  return createHash('sha256').update(itemKey).digest('hex')
}
