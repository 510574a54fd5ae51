import { createHash } from 'node:crypto'
import type { Verdict } from '@ratchet/contracts/criteria'

export interface ItemSplit<Item> {
  /** What a prompt may be tuned on. */
  readonly train: readonly Item[]
  /** What it is measured on, and nobody looks at before. */
  readonly holdout: readonly Item[]
}

/** Halves graded items, each class by itself, by a hash of what they are: the same items are always on the same side. */
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
