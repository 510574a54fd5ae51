/** Sets of characters, as bits. */
export const character = { digit: 1, letter: 2, symbol: 4, ofNumbers: 8, blank: 16, foreign: 32 } as const

/** Which sets a text has characters of, and which hold all of its characters. */
export interface Characters {
  readonly any: number
  readonly all: number
}

const bits = new Uint8Array(128)
mark('0123456789', character.digit | character.ofNumbers)
mark('.:,+()/-', character.ofNumbers)
mark('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', character.letter)
mark('!@#$%^*+~&?=|', character.symbol)
mark(' \t\n\v\f\r', character.blank)

/** Reads a text once, so that no expression has to. What is not ASCII is `foreign`. */
export function charactersOf(text: string): Characters {
  let any = 0
  let all = 0xff
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const own = code < 128 ? (bits[code] ?? 0) : character.foreign
    any |= own
    all &= own
  }
  return { any, all }
}

function mark(characters: string, bit: number): void {
  for (const each of characters) bits[each.charCodeAt(0)] = (bits[each.charCodeAt(0)] ?? 0) | bit
}
