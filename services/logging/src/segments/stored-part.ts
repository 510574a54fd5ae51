import { storedLines } from './instruction-slots.ts'
import { type LayoutPart, partKind } from './prompt-layout.ts'
import { wordToken } from './word-sketch.ts'

/**
 * A part as a family stores it: its token, and behind a slash the tokens of the words of an order. `*` in place of the token where the
 * prompts of the family differ.
 */
export type StoredPart = string

export const VARIES = '*'

export function varies(part: StoredPart): boolean {
  return part.startsWith(VARIES)
}

export function storedPart({ token, order }: LayoutPart): StoredPart {
  return order === '' ? token : `${token}/${order.split(' ').map(wordToken).join(' ')}`
}

export function tokenOf(part: StoredPart): string {
  const at = part.indexOf('/')
  return at === -1 ? part : part.slice(0, at)
}

/** The tokens of an order; empty for other parts. */
export function orderOf(part: StoredPart): string {
  const at = part.indexOf('/')
  return at === -1 ? '' : part.slice(at + 1)
}

export function linesOf(order: StoredPart) {
  return storedLines([orderOf(order)])
}

export function isOneOrder(content: readonly StoredPart[]): boolean {
  return content.length === 1 && orderOf(content[0] ?? '') !== ''
}

export function isOrder(part: StoredPart): boolean {
  return partKind(part) === 'order'
}

/** An order, or a statement in the line of one. */
export function isPartOfLine(part: StoredPart): boolean {
  return isOrder(part) || partKind(part) === 'aside'
}
