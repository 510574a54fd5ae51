import { createHash64Set } from './hash64-set.ts'
import { type Hash64, hashBytes } from './lookup3.ts'

/** Characters of each side that are searchable by their words, to limit the cost. */
const maxCharacters = 50_000

/**
 * The distinct words of an exchange, as signed 64-bit hashes with the workspace. Equal to the results of the function `exchange_words` of the database, which took most of the time of storing an exchange.
 *
 * @param messages JSON text; beyond 50 000 characters nothing is found by its words, as for `response`
 */
export function exchangeWords(workspaceId: string, messages: string, response: string): BigInt64Array {
  begin(workspaceId)
  addWords(firstCharacters(messages))
  addWords(firstCharacters(response))
  return found.toArray()
}

/** The distinct words of a text, of any length, in the same form. */
export function textWords(workspaceId: string, text: string): BigInt64Array {
  begin(workspaceId)
  addWords(text)
  return found.toArray()
}

function firstCharacters(text: string): string {
  if (text.length <= maxCharacters) return text
  // A character beyond U+FFFF counts as one, and has a length of two.
  let end = 0
  for (let count = 0; count < maxCharacters && end < text.length; count++) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

/** Adds the words of a JSON text. Escapes of white space are no letters, and would join the next word. */
function addWords(text: string): void {
  for (let at = 0; at < text.length; at++) {
    const kind = kinds[text.charCodeAt(at)] ?? notAscii
    if (kind >= firstLetter) addByte(kind)
    else if (kind === notAscii) at += addLetter(text.codePointAt(at) as number) - 1
    else {
      endWord()
      if (kind === backslash && isWhiteSpace(text.charCodeAt(at + 1))) at++
    }
  }
  endWord()
}

/** Adds one character that is not ASCII, or ends the word. Returns its length in the text. */
function addLetter(codePoint: number): 1 | 2 {
  const letter = lowerCaseOf(codePoint)
  if (letter === noLetter) endWord()
  else pushUtf8(letter)
  return codePoint > 0xffff ? 2 : 1
}

const noLetter = -1
/** Results of `findLowerCase`; 0 for characters that did not occur yet. */
const lowerCases = new Int32Array(0x110000)

function lowerCaseOf(codePoint: number): number {
  const known = lowerCases[codePoint] as number
  if (known !== 0) return known
  const found = findLowerCase(String.fromCodePoint(codePoint))
  lowerCases[codePoint] = found
  return found
}

/** Simple case mapping: one letter becomes one letter, wherever it is in a word. */
function findLowerCase(letter: string): number {
  if (!/\p{Alphabetic}/u.test(letter)) return noLetter
  return letter === 'İ' ? 0x69 : (letter.toLowerCase().codePointAt(0) as number)
}

function pushUtf8(codePoint: number): void {
  if (codePoint < 0x80) {
    addByte(codePoint)
    return
  }
  if (codePoint < 0x800) addByte(0xc0 | (codePoint >> 6))
  else {
    if (codePoint < 0x10000) addByte(0xe0 | (codePoint >> 12))
    else {
      addByte(0xf0 | (codePoint >> 18))
      addByte(0x80 | ((codePoint >> 12) & 0x3f))
    }
    addByte(0x80 | ((codePoint >> 6) & 0x3f))
  }
  addByte(0x80 | (codePoint & 0x3f))
}

/** The letters n, r and t after a backslash. */
function isWhiteSpace(code: number): boolean {
  return code === 0x6e || code === 0x72 || code === 0x74
}

const between = 0
const backslash = 1
const notAscii = 2
const firstLetter = 0x30

/** For each ASCII character its lower case if it belongs to a word, else `between` or `backslash`. */
const kinds = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (character === '\\') return backslash
  return /[a-z0-9]/i.test(character) ? character.toLowerCase().charCodeAt(0) : between
})

const workspaceSeeds = new Map<string, Hash64>()
const maxSeeds = 10_000

function seedOf(workspaceId: string): Hash64 {
  const known = workspaceSeeds.get(workspaceId)
  if (known !== undefined) return known
  const seed: Hash64 = { high: 0, low: 0 }
  hashBytes(Buffer.from(workspaceId.replaceAll('-', ''), 'hex'), 16, { high: 0, low: 0 }, seed)
  if (workspaceSeeds.size >= maxSeeds) workspaceSeeds.clear()
  workspaceSeeds.set(workspaceId, seed)
  return seed
}

/** One for the thread: its memory is used again for each exchange. */
const found = createHash64Set()
const hash: Hash64 = { high: 0, low: 0 }
let seed: Readonly<Hash64> = { high: 0, low: 0 }
/** The bytes of the word that is being read. */
let word = new Uint8Array(1_024)
let wordLength = 0

function begin(workspaceId: string): void {
  seed = seedOf(workspaceId)
  found.clear()
}

function addByte(byte: number): void {
  if (wordLength === word.length) {
    const longer = new Uint8Array(word.length * 2)
    longer.set(word)
    word = longer
  }
  word[wordLength++] = byte
}

function endWord(): void {
  if (wordLength === 0) return
  hashBytes(word, wordLength, seed, hash)
  wordLength = 0
  found.add(hash)
}
