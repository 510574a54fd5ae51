import { alphabets, isAlnum, isDigit } from './alphabets.ts'
import { nameWords, trailingWords } from './secret-name.ts'

/** Maximum length from a name to its sign: the name, and the characters between them. */
export const nameReach = 54
/** The text before a sign may end with the name of a secret. */
const name = 1
/** It may end with `authorization`, or with a word that stands behind names. */
const authorization = 2
const anything = name | authorization

/** By code unit: 1 to 26 for letters in either case. */
const letters = new Uint8Array(0x10000)
for (let letter = 1; letter <= 26; letter++) {
  letters[0x40 + letter] = letter
  letters[0x60 + letter] = letter
}
/** By code of ASCII: 1 for what may stand between the last word of a name and its sign. */
const between = Uint8Array.from(alphabets.dotted.members)
for (const character of ' \t"\'`]?!*\\') between[character.charCodeAt(0)] = 1
/** By the last three letters. */
const endings = new Uint8Array(32 ** 3)
for (const word of nameWords) mark(word, word === 'authorization' ? anything : name)
for (const word of trailingWords) mark(word, anything)

/** True when the last letters before the sign are those of some name of a secret. Most words are told apart by them. */
export function mayFollowName(units: Uint16Array, sign: number): boolean {
  return endingBefore(units, sign) !== 0
}

/** True when the last letters before the sign are those of `authorization`, or of a word that may stand behind it. */
export function mayFollowAuthorization(units: Uint16Array, sign: number): boolean {
  return (endingBefore(units, sign) & authorization) !== 0
}

function endingBefore(units: Uint16Array, sign: number): number {
  const first = Math.max(3, sign - nameReach)
  for (let end = sign; end >= first; end--) {
    const code = units[end - 1] as number
    // Names in other scripts, and numbers behind a name.
    if (code > 127 || isDigit(code)) return anything
    if (isAlnum(code)) {
      const third = letters[units[end - 3] as number] as number
      const second = letters[units[end - 2] as number] as number
      return endings[third * 1_024 + second * 32 + (letters[code] as number)] as number
    }
    if (between[code] === 0) return 0
  }
  return anything
}

/** Marks every ending of three letters with which a text that ends with the word may end. */
function mark(word: string, as: number): void {
  const [last = 0, second = -1, third = -1] = [...word].toReversed().map((letter) => letters[letter.charCodeAt(0)])
  for (let ending = last; ending < endings.length; ending += 32) {
    const isEnding = (second < 0 || ((ending >> 5) & 31) === second) && (third < 0 || ending >> 10 === third)
    if (isEnding) endings[ending] = (endings[ending] as number) | as
  }
}
