/** Sets of characters, as bits. */
export const character = { digit: 1, letter: 2, symbol: 4, ofNumbers: 8, blank: 16, foreign: 32 } as const

/** What a text is made of. */
export interface Characters {
  /** Which sets it has characters of. */
  readonly any: number
  /** Which sets hold all of its characters. */
  readonly all: number
  readonly vowels: number
  /** Whether six consonants stand in a row. */
  readonly hard: boolean
  /** Whether four letters in a row are lower, upper, lower and upper case. */
  readonly zigzag: boolean
}

const vowel = 64
/** Behind the bits of the sets stand those that are kept of the last eight characters, four of each. */
const keptShift = 8
const consonant = 1
const upper = 2
const lower = 4
const sixConsonants = 0x11_1111
/** The cases of four characters, and what they are when they are lower, upper, lower and upper. */
const fourCases = 0x6666
const zigzagged = 0x4242

const bits = new Uint16Array(128)
mark('0123456789', character.digit | character.ofNumbers)
mark('.:,+()/-', character.ofNumbers)
mark('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', character.letter)
mark('!@#$%^*+~&?=|', character.symbol)
mark(' \t\n\v\f\r', character.blank)
mark('aeiouyAEIOUY', vowel)
mark('bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ', consonant << keptShift)
mark('ABCDEFGHIJKLMNOPQRSTUVWXYZ', upper << keptShift)
mark('abcdefghijklmnopqrstuvwxyz', lower << keptShift)

/** Reads a text once, so that no expression has to. What is not ASCII is `foreign`. */
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
    recent = (recent << 4) | (own >> keptShift)
    if ((recent & sixConsonants) === sixConsonants) hard = true
    if ((recent & fourCases) === zigzagged) zigzag = true
  }
  return { any, all, vowels, hard, zigzag }
}

function mark(characters: string, bit: number): void {
  for (const each of characters) bits[each.charCodeAt(0)] = (bits[each.charCodeAt(0)] ?? 0) | bit
}
