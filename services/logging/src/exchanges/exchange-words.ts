import { createCodeUnits } from '@ratchet/redaction/code-units'
import { type Hash64, hashBytes } from './lookup3.ts'
import { WordList } from './word-list.ts'

/** Characters of each side that are searchable by their words, to limit the cost. */
const maxCharacters = 50_000
/**
 * Distinct words that an exchange is found by. Text of 100,000 characters has about 5,000; without a limit, one whose words
 * are all distinct costs the index a hundred times as much as another.
 */
const maxWords = 8_000
/** The request has the first of them, so that the answer is found by its words too. */
const maxWordsOfMessages = 5_000

/**
 * The distinct words of an exchange, as signed 64-bit hashes with the workspace. Equal to the function `exchange_words` of
 * the database, which took most of the time of storing an exchange, but for the limit of words.
 *
 * @param messages JSON text; beyond 50 000 characters nothing is found by its words, as for `response`
 */
export function exchangeWords(workspaceId: string, messages: string, response: string): BigInt64Array {
  begin(workspaceId)
  addWords(messages, maxCharacters)
  const ofMessages = words.count
  addWords(response, maxCharacters)
  const all = words.toArray()
  if (all.length <= maxWords) return all
  const kept = Math.max(maxWordsOfMessages, maxWords - (all.length - ofMessages))
  const first = all.subarray(0, Math.min(ofMessages, kept))
  const rest = all.subarray(ofMessages, ofMessages + maxWords - first.length)
  return BigInt64Array.from([...first, ...rest])
}

/** The distinct words of a text, of any length, in the same form. */
export function textWords(workspaceId: string, text: string): BigInt64Array {
  begin(workspaceId)
  addWords(text, text.length)
  return words.toArray()
}

/** Adds the words of a JSON text. Escapes of white space are no letters, and would join the next word. */
function addWords(text: string, limit: number): void {
  const units = memory.load(text)
  const end = endOfCharacters(text, units, limit)
  units[end] = 0
  for (let at = 0; at < end; ) {
    const kind = kinds[units[at] as number] as number
    if (kind >= firstLetter) at = addAsciiWord(units, at)
    else if (kind === notAscii) at = addWord(units, at)
    else at += kind === backslash && isWhiteSpace(units[at + 1] as number) ? 2 : 1
  }
}

/** Index behind the first `count` characters. One beyond U+FFFF has a length of two. */
function endOfCharacters(text: string, units: Uint16Array, count: number): number {
  if (text.length <= count) return text.length
  if (!/[\ud800-\udbff]/.test(text)) return count
  let end = 0
  for (let left = count; left > 0 && end < text.length; left--) end += isPair(units, end) ? 2 : 1
  return end
}

function isPair(units: Uint16Array, at: number): boolean {
  return ((units[at] as number) & 0xfc00) === 0xd800 && ((units[at + 1] as number) & 0xfc00) === 0xdc00
}

/** Adds the word that begins with an ASCII letter. Returns where it ends. */
function addAsciiWord(units: Uint16Array, start: number): number {
  let at = start
  let kind = kinds[units[at] as number] as number
  let first = 0
  let second = 0
  let third = 0
  do {
    third = (third << 8) | (second >>> 24)
    second = (second << 8) | (first >>> 24)
    first = (first << 8) | kind
    kind = kinds[units[++at] as number] as number
  } while (kind >= firstLetter)
  if (kind === notAscii || at - start > shortLength) return addWord(units, start)
  if (words.add(first, second, third)) {
    for (let index = start; index < at; index++) word[index - start] = kinds[units[index] as number] as number
    learn(at - start)
  }
  return at
}

/** Adds a word of any length and script. Returns the index behind it, at least one more than `start`. */
function addWord(units: Uint16Array, start: number): number {
  wordLength = 0
  for (let at = start; ; ) {
    const kind = kinds[units[at] as number] as number
    if (kind >= firstLetter) {
      addByte(kind)
      at++
    } else if (kind === notAscii) {
      const letter = lowerCaseOf(codePointAt(units, at))
      at += isPair(units, at) ? 2 : 1
      if (letter === noLetter) return endWord(at)
      pushUtf8(letter)
    } else return endWord(at)
  }
}

function codePointAt(units: Uint16Array, at: number): number {
  const unit = units[at] as number
  if (!isPair(units, at)) return unit
  return 0x10000 + ((unit & 0x3ff) << 10) + ((units[at + 1] as number) & 0x3ff)
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

/** For each code unit the lower case of an ASCII letter or digit, else one of the other kinds. */
const kinds = Uint8Array.from({ length: 0x10000 }, (_, code) => {
  if (code > 127) return notAscii
  const character = String.fromCharCode(code)
  if (character === '\\') return backslash
  return /[a-z0-9]/i.test(character) ? character.toLowerCase().charCodeAt(0) : between
})

interface Workspace {
  readonly number: number
  readonly seed: Hash64
}

const workspaces = new Map<string, Workspace>()
const maxWorkspaces = 10_000
let workspaceCount = 0

function workspaceOf(id: string): Workspace {
  const known = workspaces.get(id)
  if (known !== undefined) return known
  const seed: Hash64 = { high: 0, low: 0 }
  hashBytes(Buffer.from(id.replaceAll('-', ''), 'hex'), 16, { high: 0, low: 0 }, seed)
  if (workspaces.size >= maxWorkspaces) workspaces.clear()
  const workspace = { number: workspaceCount++, seed }
  workspaces.set(id, workspace)
  return workspace
}

/** One of each for the thread: their memory is used again for each exchange. */
const memory = createCodeUnits()
const words = new WordList()
const hash: Hash64 = { high: 0, low: 0 }
let seed: Readonly<Hash64> = { high: 0, low: 0 }
/** The bytes of the word that is being read. */
let word = new Uint8Array(1_024)
let wordLength = 0
/** Bytes of the longest word that is told from others by its bytes. */
const shortLength = 11
/** In place of the first byte of a short word, for words that are told apart by their hash. */
const hashed = -1

function begin(workspaceId: string): void {
  const workspace = workspaceOf(workspaceId)
  seed = workspace.seed
  words.begin(workspace.number)
}

function addByte(byte: number): void {
  if (wordLength === word.length) {
    const longer = new Uint8Array(word.length * 2)
    longer.set(word)
    word = longer
  }
  word[wordLength++] = byte
}

/** Adds the word whose bytes were added. Returns `at`. */
function endWord(at: number): number {
  if (wordLength > shortLength) {
    hashBytes(word, wordLength, seed, hash)
    if (words.add(hash.high, hash.low, hashed)) words.learn(hash.high, hash.low)
  } else if (wordLength > 0) {
    let first = 0
    let second = 0
    let third = 0
    for (let index = 0; index < wordLength; index++) {
      third = (third << 8) | (second >>> 24)
      second = (second << 8) | (first >>> 24)
      first = (first << 8) | (word[index] as number)
    }
    if (words.add(first, second, third)) learn(wordLength)
  }
  return at
}

function learn(length: number): void {
  hashBytes(word, length, seed, hash)
  words.learn(hash.high, hash.low)
}
