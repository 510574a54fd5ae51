import type { RevealedItem } from '@ratchet/contracts/review-grades'

const breakItems = 50
const breakMs = 25 * 60_000

/** Whether a break should be offered. */
export function isBreakDue({ answered, sinceMs }: { readonly answered: number; readonly sinceMs: number }): boolean {
  return answered >= breakItems || sinceMs >= breakMs
}

/** Disagreements with what was settled before come first, then those with the judge. */
export function sortedForCard(items: readonly RevealedItem[]): readonly RevealedItem[] {
  const rank = ({ label, verdict, known }: RevealedItem) => {
    if (label === 'unsure') return 2
    if (known !== null && known !== label) return 0
    return verdict !== null && verdict !== label ? 1 : 3
  }
  return [...items].sort((a, b) => rank(a) - rank(b))
}
