import { matchSlots, type SlotPattern, tokenLines } from './instruction-slots.ts'
import { isItem, partKind } from './prompt-layout.ts'
import { patternsOf, varyingFamilies } from './slot-index.ts'
import {
  isOneOrder,
  isOrder,
  isPartOfLine,
  linesOf,
  orderOf,
  type StoredPart,
  tokenOf,
  VARIES,
  varies,
} from './stored-part.ts'

/** What may stand between two anchors of a layout. */
export interface LayoutGap {
  /** Instructions may stand there, because none of them is the task: inside, or also at its ends. */
  readonly orders: 'none' | 'inside' | 'anywhere'
  /** It is one order in which values vary. */
  readonly slots?: SlotPattern
  /** It is one part. */
  readonly isOne?: boolean
}

/** Different contents that show that a gap varies: two applications, or three, may differ in one value. */
export const VALUES = 4
/** The same where the prompts of a family differ. */
const VALUES_OF_FAMILY = 3
/** The same for a value beside others of a record that vary. */
export const VALUES_OF_RECORD = 2
/** The same for a value that may be what an application does. */
const VALUES_OF_TASK = 5
/** The same for a gap in which some prompts have orders, or list them. */
const VALUES_WITH_ORDERS = 6
/** The same where each prompt has an order, which may be what it is about. */
const ALL_ORDERS = 12
/** Prompts without an order that show that those of others are no task. */
const WITHOUT_ORDERS = 2
/** Statements among orders that are hardly a text. */
const ASIDE_PARTS = 2
/** An order that so many contents have in common is part of the task of an application. */
const COMMON_SHARE = 0.5
/** The same at one end of the contents. */
export const END_SHARE = 0.25
/** Words by which orders begin alike. */
const BEGINNING = 3

/** How a gap is judged: by the words of the orders of a prompt, and whether an order at its end is excluded already. */
interface Strictness {
  readonly written: ReadonlyMap<StoredPart, string>
  readonly isStrict: boolean
}

/** What stands at one place of several prompts. */
export type Contents = readonly (readonly StoredPart[])[]

/** @returns null when nothing stands there in any prompt */
export function gapOf(contents: Contents, { written, isStrict }: Strictness): LayoutGap | null | 'refused' {
  if (contents.every((content) => content.length === 0)) return null
  if (contents.every(isOneOrder)) {
    const slots = slotsOf(contents.flat(), written)
    return slots === null ? 'refused' : { orders: 'none', slots }
  }
  const rests = contents.map((content) => content.filter((part) => !varies(part)))
  const all = [...new Map(rests.map((content) => [content.join(' '), content])).values()]
  const withOrders = all.filter((content) => content.some(isOrder) || isAside(content))
  const isList = all.flat().every(isItem)
  if (sharesOrder(all, isList)) return 'refused'
  if (withOrders.length === 0) {
    const isKnown = contents.flat().some(varies)
    const needed = all.length === 1 && isKnown ? 1 : isKnown ? VALUES_OF_FAMILY : VALUES
    return all.length >= needed ? { orders: 'none' } : 'refused'
  }
  // A statement or two are rather a text where they are many, or differ in one family.
  const isText = isList || all.length - withOrders.length >= WITHOUT_ORDERS
  const ofFamily = isStrict && isOfFamily(contents) ? VALUES : ALL_ORDERS
  const needed = Math.min(ofFamily, isStrict && isText ? VALUES_WITH_ORDERS : ALL_ORDERS)
  return all.length >= needed ? { orders: isStrict ? 'inside' : 'anywhere' } : 'refused'
}

export function valueGap(contents: Contents): LayoutGap {
  return { orders: isOfFamily(contents) ? 'anywhere' : 'none' }
}

export function isOneValue(content: readonly StoredPart[]): boolean {
  const [part = '', ...others] = content
  return others.length === 0 && (varies(part) || ['value', 'order'].includes(partKind(part)))
}

export function taskGap(contents: Contents): LayoutGap | 'refused' {
  const values = new Set(contents.map(([part]) => part)).size
  return values >= VALUES_OF_TASK ? { orders: 'anywhere', isOne: true } : 'refused'
}

/** Where the prompts of one family differ, it is a value, even if it reads like an order. */
export function isOfFamily(contents: Contents): boolean {
  return contents.some(([part, ...others]) => part === VARIES && others.length === 0)
}

/** The number of different values behind a key; 0 when anything else stands there too. */
export function valuesIn(contents: Contents): number {
  const isKnown = isOfFamily(contents)
  const isValue = (content: readonly StoredPart[]) =>
    content.length <= 1 && content.every((part) => isKnown || varies(part) || partKind(part) === 'value')
  return contents.every(isValue) ? new Set(contents.map((content) => content.join())).size : 0
}

/** A statement or two among orders may be what an application is about. */
function isAside(content: readonly StoredPart[]): boolean {
  return content.length > 0 && content.length <= ASIDE_PARTS && content.every(isPartOfLine)
}

/** The values that vary in an order; null when its words differ in more. */
function slotsOf(orders: readonly StoredPart[], written: ReadonlyMap<StoredPart, string>): SlotPattern | null {
  const [own = '', ...others] = orders
  const lines = [written.get(own) ?? '']
  if (lines[0] === '' || others.some((order) => orderOf(order) === '')) return null
  const tokens = tokenLines(lines)
  const families = others.map((order, index) => ({ id: `${index}`, lines: linesOf(order), isEstablished: false }))
  const found = patternsOf(lines, tokens, families).find(
    ({ pattern, needed }) => varyingFamilies(pattern, needed, tokens, families).length === families.length,
  )
  return found?.pattern ?? null
}

/** How often the most frequent one occurs. */
export function mostOf(parts: readonly string[]): number {
  return Math.max(0, ...[...Map.groupBy(parts, (part) => part).values()].map(({ length }) => length))
}

/** Orders that begin alike may be one in which names vary. */
function beginning(part: StoredPart): string {
  const words = orderOf(part).split(' ')
  return words.length > BEGINNING ? words.slice(0, BEGINNING).join(' ') : tokenOf(part)
}

/**
 * True when many have an order in common, anywhere or at the same end of their texts: it is rather a task than a part of a
 * text.
 */
function sharesOrder(contents: Contents, isList: boolean): boolean {
  const ends = [0, -1].map((end) =>
    contents
      .flatMap((content) => content.at(end) ?? [])
      .filter(isPartOfLine)
      .map(beginning),
  )
  if (!isList && ends.some((orders) => mostOf(orders) > Math.max(1, orders.length * END_SHARE))) return true
  return mostOf(contents.flat().filter(isPartOfLine)) > Math.max(1, contents.length * COMMON_SHARE)
}

/** True when an order stands at an end of a gap where nothing shows that a text begins or ends. */
export function endsInOrder(content: readonly StoredPart[], { before, after }: Ends): boolean {
  const [first, last] = [content[0], content.length === 1 && opensText(before) ? undefined : content.at(-1)]
  const mayBeTask = (part: StoredPart | undefined) => part !== undefined && isPartOfLine(part) && !isItem(part)
  return (mayBeTask(first) && !opensText(before)) || (mayBeTask(last) && !closesText(after))
}

/** The anchors beside a gap. */
export interface Ends {
  readonly before: StoredPart | undefined
  readonly after: StoredPart | undefined
}

/** What stands below a heading or in a tag is a text from its beginning on. */
function opensText(part: StoredPart | undefined): boolean {
  return part !== undefined && ['heading', 'key', 'mark'].includes(partKind(part))
}

function closesText(part: StoredPart | undefined): boolean {
  return opensText(part) || (part !== undefined && partKind(part) === 'task')
}

export function allows(gap: LayoutGap | null, content: readonly StoredPart[], ends: Ends): boolean {
  if (gap === null) return content.length === 0
  if (gap.orders === 'anywhere') return gap.isOne !== true || content.length === 1
  if (gap.orders === 'inside') return !endsInOrder(content, ends)
  if (gap.slots !== undefined) return content.length === 1 && matchSlots(gap.slots, linesOf(content[0] ?? '')) !== null
  return !content.some(isOrder) && !isAside(content)
}
