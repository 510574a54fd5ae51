/** Sets of characters, one bit each. */
export const character = { digit: 1, letter: 2, symbol: 4, ofNumbers: 8, blank: 16, foreign: 32, alnum: 128 } as const

/** Statistics of the characters of a text. */
export interface Characters {
  /** Bits of the sets that contain at least one of its characters. */
  readonly any: number
  /** Bits of the sets that contain all of its characters. */
  readonly all: number
  readonly vowels: number
  /** Six consonants in a row occur. */
  readonly hard: boolean
  /** Four letters in a row are in lower, upper, lower and upper case. */
  readonly zigzag: boolean
}

const vowel = 64
/** Above the bits of the sets are four bits per character that are remembered for the last eight characters. */
const rememberedShift = 8
const consonant = 1
const upper = 2
const lower = 4
const sixConsonants = 0x11_1111
/** The case bits of four characters, and their value for lower, upper, lower and upper case. */
const fourCases = 0x6666
const zigzagged = 0x4242

const bits = new Uint16Array(128)
mark('0123456789', character.digit | character.ofNumbers | character.alnum)
mark('.:,+()/-', character.ofNumbers)
mark('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', character.letter | character.alnum)
mark('!@#$%^*+~&?=|', character.symbol)
mark(' \t\n\v\f\r', character.blank)
mark('aeiouyAEIOUY', vowel)
mark('bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ', consonant << rememberedShift)
mark('ABCDEFGHIJKLMNOPQRSTUVWXYZ', upper << rememberedShift)
mark('abcdefghijklmnopqrstuvwxyz', lower << rememberedShift)

/** Reads a text once, which replaces several regular expressions. Characters outside ASCII are `foreign`. */
export function charactersOf(text: string): Characters {
  let any = 0
  let all = 0xff
  let vowels = 0
  let recent = 0
  let hard = false
  let zigzag = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const own = code < 128 ? (bits[code] ?? 0) : character.foreign
    any |= own
    all &= own
    if ((own & vowel) !== 0) vowels++
    recent = (recent << 4) | (own >> rememberedShift)
    if ((recent & sixConsonants) === sixConsonants) hard = true
    if ((recent & fourCases) === zigzagged) zigzag = true
  }
  return { any, all, vowels, hard, zigzag }
}

function mark(characters: string, bit: number): void {
  for (const each of characters) bits[each.charCodeAt(0)] = (bits[each.charCodeAt(0)] ?? 0) | bit
}
