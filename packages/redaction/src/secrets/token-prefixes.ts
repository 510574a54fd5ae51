import { gitleaksTokens } from '../patterns/gitleaks-tokens.ts'
import { commandNames } from './command-password-at.ts'
import { encodedTokens } from './encoded-tokens.ts'
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
  ...encodedTokens([...ownTokens, ...gitleaksTokens]),
])

/** Not prefixes of a rule: a JSON Web Token begins with the first, a value may follow the second, a password the others. */
const otherBeginnings = ['eyJ', 'is ', ...commandNames]
/** By the first two characters of a word: the codes of each prefix with which it may begin. */
const beginnings: Uint8Array[][] = []
/** Codes of a third character: those of ASCII, and one for all others. */
const thirdCodes = 129
/** For the first two characters the number of a row in {@link thirds}; 0 when no prefix begins so. */
const rows = new Uint16Array(128 * 128)
/** Rows of {@link thirdCodes}: 1 when a prefix has this third character. */
const thirds = fillTables()

/** True when a prefix of a token begins at `at`. */
export function beginsToken(units: Uint16Array, at: number): boolean {
  const second = units[at + 1] as number
  const row = second < 128 ? (rows[(units[at] as number) * 128 + second] as number) : 0
  if (row === 0 || thirds[row * thirdCodes + Math.min(units[at + 2] as number, thirdCodes - 1)] === 0) return false
  const prefixes = beginnings[row] ?? []
  for (let index = 0; index < prefixes.length; index++) {
    const codes = prefixes[index] as Uint8Array
    let same = 2
    while (same < codes.length && units[at + same] === codes[same]) same++
    if (same === codes.length) return true
  }
  return false
}

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
  const table = new Uint8Array((new Set(prefixes.map(pairOf)).size + 1) * thirdCodes)
  let used = 0
  for (const prefix of prefixes) {
    const pair = pairOf(prefix)
    if (rows[pair] === 0) rows[pair] = ++used
    const row = rows[pair] as number
    beginnings[row] = [...(beginnings[row] ?? []), Buffer.from(prefix)]
    if (prefix.length > 2) table[row * thirdCodes + prefix.charCodeAt(2)] = 1
    else table.fill(1, row * thirdCodes, (row + 1) * thirdCodes)
  }
  return table
}

function pairOf(prefix: string): number {
  return prefix.charCodeAt(0) * 128 + prefix.charCodeAt(1)
}
