import type { LayoutPart } from './prompt-layout.ts'
import { orderOf, type StoredPart, storedPart, VARIES } from './stored-part.ts'

/** The longest sequence of the given parts that the other prompt has in the same order. */
export function commonParts(
  parts: readonly StoredPart[],
  indexes: readonly number[],
  other: readonly StoredPart[],
): readonly number[] {
  const places = new Map(other.map((part, place) => [part, place]))
  const found = indexes.flatMap((index) => {
    const place = places.get(parts[index] ?? '')
    return place === undefined ? [] : [{ index, place }]
  })
  return longestRising(found)
}

/** The longest subsequence whose places rise. */
function longestRising(found: readonly { readonly index: number; readonly place: number }[]): readonly number[] {
  const tails: number[] = []
  const before: number[] = []
  for (const [at, { place }] of found.entries()) {
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((found[tails[middle] ?? 0]?.place ?? 0) < place) low = middle + 1
      else high = middle
    }
    before[at] = tails[low - 1] ?? -1
    tails[low] = at
  }
  const rising: number[] = []
  for (let at = tails.at(-1) ?? -1; at !== -1; at = before[at] ?? -1) rising.push(found[at]?.index ?? 0)
  return rising.reverse()
}

/** What a prompt has before, between and after the anchors, all of which it has. */
export function contentsBetween(anchors: readonly StoredPart[], parts: readonly StoredPart[]): readonly StoredPart[][] {
  const contents: StoredPart[][] = [[]]
  for (const part of parts) {
    if (part === anchors[contents.length - 1]) contents.push([])
    else contents.at(-1)?.push(part)
  }
  return contents
}

/** The parts of a family after another one of its prompts, which shows some of them to vary. */
export function partsInCommon(stored: readonly StoredPart[], prompt: readonly LayoutPart[]): readonly StoredPart[] {
  const live = prompt.map(storedPart)
  const places = new Map(live.map((part, place) => [part, place]))
  const kept = commonParts(
    stored,
    stored.map((_, index) => index),
    live,
  )
  const common: StoredPart[] = []
  let [from, fromLive] = [0, 0]
  const add = (to: number, toLive: number) => {
    if (to === from && toLive === fromLive) return
    const order = to === from + 1 && toLive === fromLive + 1 ? orderOf(stored[from] ?? '') : ''
    common.push(order === '' ? VARIES : `${VARIES}/${order}`)
  }
  for (const index of kept) {
    const part = stored[index] ?? ''
    const place = places.get(part) ?? 0
    add(index, place)
    common.push(part)
    ;[from, fromLive] = [index + 1, place + 1]
  }
  add(stored.length, live.length)
  return common.length === stored.length && common.every((part, index) => part === stored[index]) ? stored : common
}
