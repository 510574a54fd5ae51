import { anchorsOf, compileLinearPattern, linearPatternSize } from '@ratchet/contracts/linear-pattern'

/**
 * Compiles the pattern of a JSON Schema, which is found anywhere in a text unless it is anchored, into a test that takes
 * linear time. It may have what {@link compileLinearPattern} supports.
 *
 * @throws SyntaxError for anything else, such as look-ahead
 */
export function compileLinearSearch(pattern: string): (text: string) => boolean {
  const whole = wholePattern(pattern)
  return whole === '' ? () => true : compileLinearPattern(whole)
}

/** How many characters a pattern has, with repeats written out. @throws SyntaxError as above */
export function linearSearchSize(pattern: string): number {
  return linearPatternSize(wholePattern(pattern))
}

/** The pattern that matches a whole text; empty: every text. */
function wholePattern(pattern: string): string {
  const { atStart, atEnd } = anchorsOf(pattern)
  const inner = pattern.slice(atStart ? 1 : 0, atEnd ? -1 : undefined)
  // In `^a|b` the anchor belongs to `a` alone.
  if ((atStart || atEnd) && hasOuterChoice(inner)) {
    throw new SyntaxError('an anchor beside `|` is not understood; write ^(?:a|b)$')
  }
  return inner === '' ? '' : `${atStart ? '' : '.*'}(?:${inner})${atEnd ? '' : '.*'}`
}

/** Whether it has a `|` outside of groups and classes. */
function hasOuterChoice(pattern: string): boolean {
  let open = 0
  let isInClass = false
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at]
    if (character === '\\') at += 1
    else if (isInClass) isInClass = character !== ']'
    else if (character === '[') isInClass = true
    else if (character === '(') open += 1
    else if (character === ')') open -= 1
    else if (character === '|' && open === 0) return true
  }
  return false
}
