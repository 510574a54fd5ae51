import { gitleaksTokens } from '../patterns/gitleaks-tokens.ts'
import { ownTokens } from './own-tokens.ts'
import type { TokenRule } from './token-rule.ts'

export interface TokenPrefix {
  readonly prefix: string
  /** Code of its third character; -1 when it has only two. */
  readonly third: number
  /** Code of its last character, where most prefixes with the same beginning differ. */
  readonly last: number
  readonly rule: TokenRule
}

/** By the codes of their first two characters, `first * 128 + second`, in the order of the rules. */
export const tokenPrefixes: readonly (readonly TokenPrefix[] | undefined)[] = groupPrefixes([
  ...ownTokens,
  ...gitleaksTokens,
])

/** Codes of a third character: those of ASCII, and one for all others. */
export const thirdCodes = 129
/** Not prefixes of a rule: a JSON Web Token begins with the first, and a value may follow the second. */
const otherBeginnings = ['eyJ', 'is ']

/** For the first two characters of a word the number of a row in {@link tokenThirds}; 0 when no secret begins so. */
export const tokenPairs: Uint16Array = new Uint16Array(128 * 128)
/** Rows of {@link thirdCodes}: 1 when a secret may have this third character. */
export const tokenThirds: Uint8Array = fillTables()

/** Groups the prefixes by their first two characters, in the order of the rules. */
function groupPrefixes(rules: readonly TokenRule[]): (readonly TokenPrefix[] | undefined)[] {
  const groups: TokenPrefix[][] = Array.from({ length: 128 * 128 })
  for (const rule of rules) {
    for (const prefix of rule.prefixes) {
      const index = pairOf(prefix)
      const group = groups[index] ?? []
      const third = prefix.length > 2 ? prefix.charCodeAt(2) : -1
      group.push({ prefix, third, last: prefix.charCodeAt(prefix.length - 1), rule })
      groups[index] = group
    }
  }
  return groups
}

function fillTables(): Uint8Array {
  const prefixes = [...otherBeginnings, ...tokenPrefixes.flatMap((group) => (group ?? []).map(({ prefix }) => prefix))]
  const thirds = new Uint8Array((new Set(prefixes.map(pairOf)).size + 1) * thirdCodes)
  let rows = 0
  for (const prefix of prefixes) {
    const pair = pairOf(prefix)
    if (tokenPairs[pair] === 0) tokenPairs[pair] = ++rows
    const row = (tokenPairs[pair] as number) * thirdCodes
    if (prefix.length > 2) thirds[row + prefix.charCodeAt(2)] = 1
    else thirds.fill(1, row, row + thirdCodes)
  }
  return thirds
}

function pairOf(prefix: string): number {
  return prefix.charCodeAt(0) * 128 + prefix.charCodeAt(1)
}
