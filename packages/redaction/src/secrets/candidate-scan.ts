import { alphabets, isAlnum, isDigit } from './alphabets.ts'
import { mayFollowAuthorization, mayFollowName } from './name-endings.ts'
import type { SecretScope } from './text-view.ts'
import { beginsToken } from './token-prefixes.ts'
import { walletKeyBeginnings, walletKeyLengths } from './wallet-key.ts'

/** Minimum length of a value with no sign before it but a blank. */
export const unsignedLength = 8

const word = 1
const blank = 2
const sign = 3
/** By code unit: what begins with the character, 0 for nothing. */
const roles = roleTable()
/** By code unit: 1 for characters of a value without quotes. */
const bare = new Uint8Array(0x10000)
bare.set(alphabets.bare.members)

/**
 * Finds the places of a text where a secret may begin, in one pass. Each meets a condition that every secret of some rule
 * meets, and that is cheap to check; whether there is a secret is for the rules to decide. Hardly any place of prose is
 * a candidate.
 */
export class CandidateScan {
  /** Where the word of the last candidate ends; for a sign, the index behind it. */
  end = 0
  readonly #units: Uint16Array
  readonly #length: number
  readonly #shapedOnly: boolean

  /** @param units of the text, with a zero behind the last one */
  constructor(units: Uint16Array, length: number, { shapedOnly }: SecretScope) {
    this.#units = units
    this.#length = length
    this.#shapedOnly = shapedOnly
  }

  /** The first candidate at or after `from`; the length of the text when there is none. */
  next(from: number): number {
    const units = this.#units
    const shapedOnly = this.#shapedOnly
    for (let at = from; ; ) {
      const role = roles[units[at] as number]
      if (role === word) {
        let end = at + 1
        while (roles[units[end] as number] === word) end++
        // Most words are short and end with a blank, so that little is left to check.
        if (end - at >= unsignedLength || bare[units[end] as number] === 1) {
          if (at > from && !shapedOnly && mayPrecedeValue(units, at - 1)) return this.#found(at - 1, at)
          if (mayBeShaped(units, at, end)) return this.#found(at, end)
        }
        if (beginsToken(units, at)) return this.#found(at, end)
        at = end
      } else if (role !== 0) {
        if (role === sign ? isUsableSign(units, at, shapedOnly) : !shapedOnly && isLoneBlank(units, at))
          return this.#found(at, at + 1)
        at += 1
      } else if (at >= this.#length) return this.#length
      else at += 1
    }
  }

  #found(at: number, end: number): number {
    this.end = end
    return at
  }
}

/** True when the word `[at, end)`, which is long or does not end with a blank, may be a secret without a prefix. */
function mayBeShaped(units: Uint16Array, at: number, end: number): boolean {
  const next = units[end]
  if (end - at === 14 && next === 0x2e) return true // Terraform
  if (end - at === 32 && next === 0x2d) return true // hexadecimal digits and a suffix
  const first = units[at] as number
  if (walletKeyLengths.has(end - at)) return walletKeyBeginnings.has(String.fromCharCode(first))
  // Discord: the Base64 of a number begins with M, N or O.
  return first >= 0x4d && first <= 0x4f && (end - at >= 23 || next === 0x2d || next === 0x5f)
}

/** True for a blank before a value that does not begin with a word; other blanks are checked with their word. */
function isLoneBlank(units: Uint16Array, at: number): boolean {
  const next = units[at + 1] as number
  return bare[next] === 1 && roles[next] !== word && mayPrecedeValue(units, at)
}

/** True when a long value follows the blank, which has a digit or may be the scheme of an authorization. */
function mayPrecedeValue(units: Uint16Array, at: number): boolean {
  if (units[at] !== 0x20 || at === 0 || !isAlnum(units[at - 1] as number) || !mayFollowName(units, at)) return false
  let end = at + 1
  let hasDigit = false
  for (; bare[units[end] as number] === 1; end++) hasDigit ||= isDigit(units[end] as number)
  if (end - at <= unsignedLength) return false
  return hasDigit || (units[end] === 0x20 && units[at + 1] !== 0x2d && mayFollowAuthorization(units, at))
}

function isUsableSign(units: Uint16Array, at: number, shapedOnly: boolean): boolean {
  const before = at === 0 ? 0 : (units[at - 1] as number)
  const next = units[at + 1] as number
  switch (units[at]) {
    case 0x3a: // : of a URL, a Telegram token or an assignment
      return !shapedOnly || next === 0x2f || isDigit(before)
    case 0x2c: // , behind the first argument of a call
      return !shapedOnly && (before === 0x22 || before === 0x27) && (next === 0x20 || next === before || next === 0x5c)
    case 0x7e: // ~
      return before === 0x51
    case 0x2d: // - of armour or a flag
      return before !== 0x2d && (next === 0x2d || (next === 0x75 && !shapedOnly))
    case 0x7c: // |
      return before === 0x20 && !shapedOnly
    case 0x22: // "
    case 0x27: // '
      return before === 0x20 && !shapedOnly && at > 1 && isAlnum(units[at - 2] as number)
    case 0x3e: // >
      return !shapedOnly && isAlnum(before)
    default: // = and the full-width colon
      return !shapedOnly
  }
}

function roleTable(): Uint8Array {
  const table = new Uint8Array(0x10000)
  for (let code = 0; code < 128; code++) if (isAlnum(code)) table[code] = word
  table[0x20] = blank
  for (const each of '=|:"\'>~-,：') table[each.charCodeAt(0)] = sign
  return table
}
