import { useState } from 'react'

/** The list of before as long as its items are the same, for what is made of a list that is new each time. */
export function useSameItems<T>(items: readonly T[]): readonly T[] {
  const [kept, setKept] = useState(items)
  if (kept.length === items.length && kept.every((item, index) => item === items[index])) return kept
  setKept(items)
  return items
}
