import { commonParts, contentsBetween } from './common-parts.ts'
import { differenceOf, patternOf, tokenLines } from './instruction-slots.ts'
import {
  allows,
  END_SHARE,
  endsInOrder,
  gapOf,
  isOfFamily,
  isOneValue,
  type LayoutGap,
  mostOf,
  taskGap,
  VALUES,
  VALUES_OF_RECORD,
  valueGap,
  valuesIn,
} from './layout-gap.ts'
import { isItem, type LayoutPart, partKind } from './prompt-layout.ts'
import { isOneOrder, linesOf, type StoredPart, storedPart, tokenOf } from './stored-part.ts'

/** What the prompts of an application have in common, in order: tokens, with a gap wherever they differ. */
export type Layout = readonly (string | LayoutGap)[]

/** Words that prompts have in common at least. */
const MIN_WORDS = 6

/** A prompt of a family. */
export interface LaidOut {
  readonly id: string
  readonly parts: readonly StoredPart[]
}

/**
 * The layout that a prompt has in common with the first so many of others that every difference between them is a value.
 *
 * @param others the most alike first
 * @returns null when they differ in what may be their tasks, or have too little in common
 */
export function commonLayout(
  own: readonly LayoutPart[],
  others: readonly LaidOut[],
): { readonly layout: Layout; readonly ids: readonly string[] } | null {
  return commonOf(own, others, true) ?? commonOf(own, others, false)
}

/** @param isStrict leaves out prompts with an order at an end of a gap, where it may be the task */
function commonOf(own: readonly LayoutPart[], others: readonly LaidOut[], isStrict: boolean) {
  const parts = own.map(storedPart)
  const written = new Map(own.map(({ order }, index) => [parts[index] ?? '', order]))
  let anchors: readonly number[] = parts.map((_, index) => index)
  const group: LaidOut[] = []
  for (const other of others) {
    const kept = commonParts(parts, anchors, other.parts)
    if (wordsOf(own, kept) < MIN_WORDS || !differsInValues({ parts, written, isStrict }, kept, other)) continue
    anchors = kept
    group.push(other)
    const layout = layoutOf({ parts, written, isStrict }, anchors, group)
    if (layout !== null) return { layout, ids: group.map(({ id }) => id) }
  }
  return null
}

/** The parts of a prompt, and the words of each order. */
interface WrittenParts {
  readonly parts: readonly StoredPart[]
  readonly written: ReadonlyMap<StoredPart, string>
  readonly isStrict: boolean
}

/** False when an order differs in more than values from the one in its place, or stands where the task may be. */
function differsInValues(
  { parts, written, isStrict }: WrittenParts,
  anchors: readonly number[],
  other: LaidOut,
): boolean {
  const tokens = anchors.map((index) => parts[index] ?? '')
  const [own, others] = [contentsBetween(tokens, parts), contentsBetween(tokens, other.parts)]
  return own.every((content, place) => {
    const orders = [content, others[place] ?? []]
    if (!orders.every(isOneOrder)) {
      const ends = { before: tokens[place - 1], after: tokens[place] }
      return !isStrict || !orders.some((each) => endsInOrder(each, ends))
    }
    const lines = [written.get(content[0] ?? '') ?? '']
    const difference = differenceOf(tokenLines(lines), linesOf(orders[1]?.[0] ?? ''))
    return difference !== null && patternOf(lines, difference) !== null
  })
}

function wordsOf(own: readonly LayoutPart[], kept: readonly number[]): number {
  return kept.reduce((sum, index) => sum + (own[index]?.words ?? 0), 0)
}

/** The layout of the group by its anchors; null when a gap may not vary. */
function layoutOf(
  { parts, written, isStrict }: WrittenParts,
  common: readonly number[],
  group: readonly LaidOut[],
): Layout | null {
  const all = [parts, ...group.map((each) => each.parts)]
  const tokens = withoutChance(parts, common, all)
  const contents = all.map((each) => contentsBetween(tokens, each))
  const layout: (string | LayoutGap)[] = []
  let ofRecord = 0
  let doubtful = 0
  for (let place = 0; place <= tokens.length; place += 1) {
    const inside = contents.map((each) => each[place] ?? [])
    const key = partKind(tokens[place - 1] ?? '')
    const values = key === 'key' ? valuesIn(inside) : 0
    const gap =
      values >= VALUES_OF_RECORD
        ? valueGap(inside)
        : key === 'task' && inside.every(isOneValue)
          ? taskGap(inside)
          : gapOf(inside, { written, isStrict })
    if (gap === 'refused') return null
    if (values >= VALUES || (values >= VALUES_OF_RECORD && isOfFamily(inside))) ofRecord += 1
    else if (values >= VALUES_OF_RECORD) doubtful += 1
    if (gap !== null) layout.push(gap)
    const token = tokens[place]
    if (token !== undefined) layout.push(tokenOf(token))
  }
  const instructs = layout.some((each) =>
    typeof each === 'string' ? ['order', 'task'].includes(partKind(each)) : each.slots !== undefined,
  )
  return !instructs || (doubtful > 0 && ofRecord === 0) ? null : layout
}

/**
 * Leaves out what the prompts have in common by chance: a sentence between two gaps, and the items of a list that
 * varies.
 */
function withoutChance(
  parts: readonly StoredPart[],
  anchors: readonly number[],
  all: readonly (readonly StoredPart[])[],
): readonly StoredPart[] {
  const tokens = anchors.map((index) => parts[index] ?? '')
  const contents = all.map((each) => contentsBetween(tokens, each))
  const varying = [...tokens, ''].map((_, place) => contents.flatMap((each) => each[place] ?? []))
  const isItemAt = (place: number) => isItem(tokens[place] ?? '')
  const isOpen = (place: number) => varying[place]?.some(isItem) === true
  const kept: boolean[] = []
  for (let from = 0; from < tokens.length; ) {
    let to = from + 1
    if (isItemAt(from)) while (isItemAt(to) && (isOpen(to) || varying[to]?.length === 0)) to += 1
    const isVarying = isItemAt(from)
      ? Array.from({ length: to - from + 1 }, (_, index) => from + index).some(isOpen)
      : partKind(tokens[from] ?? '') === 'data' && [from, to].every((place) => (varying[place]?.length ?? 0) > 0)
    for (; from < to; from += 1) kept.push(!isVarying)
  }
  return tokens.filter((_, place) => kept[place])
}

/** True when a prompt has the layout: its anchors in their order, and between them only what a gap allows. */
export function hasLayout(layout: Layout, parts: readonly StoredPart[]): boolean {
  let at = 0
  let gap: LayoutGap | null = null
  let open: StoredPart[] = []
  let before: string | undefined
  for (const element of [...layout, null]) {
    if (element !== null && typeof element !== 'string') {
      gap = element
      continue
    }
    while (at < parts.length && tokenOf(parts[at] ?? '') !== element) {
      const part = parts[at]
      if (gap === null || part === undefined) return false
      open.push(part)
      at += 1
    }
    if (!allows(gap, open, { before, after: element ?? undefined })) return false
    if (element !== null && at >= parts.length) return false
    at += 1
    before = element ?? undefined
    gap = null
    open = []
  }
  return true
}

/**
 * True when prompts differ between what they have in common, but many of them begin or end there in the same way: that is
 * rather what some of them are about than a part of a text.
 */
export function differInTasks(own: readonly LayoutPart[], others: readonly (readonly StoredPart[])[]): boolean {
  const parts = own.map(storedPart)
  let anchors: readonly number[] = parts.map((_, index) => index)
  for (const other of others) anchors = commonParts(parts, anchors, other)
  const tokens = anchors.map((index) => parts[index] ?? '')
  const contents = [parts, ...others].map((each) => contentsBetween(tokens, each))
  return (
    contents[0]?.some((_, place) => {
      const inside = contents.map((each) => each[place] ?? []).filter(({ length }) => length > 0)
      return [0, -1].some(
        (end) => mostOf(inside.flatMap((content) => content.at(end) ?? [])) > inside.length * END_SHARE,
      )
    }) === true
  )
}
