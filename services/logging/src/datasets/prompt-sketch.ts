import { hash } from 'node:crypto'
import { mix } from './shingle-signature.ts'

/** The text of a prompt in the form in which prompts are compared, as the smallest hashes of its runs of characters. */
export interface PromptSketch {
  /** Equal for prompts that differ only in case, punctuation, courtesies and long numbers. */
  readonly id: string
  /** Ascending, at most {@link sketchSize}. Of a text with fewer runs it is the complete set. */
  readonly hashes: Uint32Array
}

/** Memory per prompt is four times this, in bytes. */
const sketchSize = 96
const runLength = 4
/** UTF-16 units of a prompt that are read. */
const maxLength = 6_000

/** UTF-16 units of a short prompt. With other small numbers it is another question: "question 7", "17 plus 4". */
const shortPrompt = 240

/** Words that a person adds or leaves out without asking anything else. */
const courtesies = new Set(
  `please pls plz thanks thank you thx hi hello hey dear kindly cheers bitte danke hallo guten tag vielen dank merci
  bonjour svp s'il vous plaît por favor gracias hola grazie ciao prego obrigado olá`.split(/\s+/),
)

/** Letters and digits that contain four digits in a row, such as the number of an order. */
const longNumber = /\d{4}/
/** Words before a number that names one of many things of its kind. */
const numbered = new Set(
  `order orders ticket invoice case ref reference nr no number id parcel booking tracking account customer bestellung
  auftrag rechnung kundennummer bestellnummer commande facture pedido factura`.split(/\s+/),
)
const word = /[\p{L}\p{M}\p{N}]+/gu

/** Prepares a prompt for comparison; null when it has no word. */
export function promptSketch(text: string): PromptSketch | null {
  const words = comparedWords(text.slice(0, maxLength))
  if (words.length === 0) return null
  const compared = words.join(' ')
  return { id: hash('sha256', compared, 'hex').slice(0, 32), hashes: smallest(hashesOf(compared, words)) }
}

function comparedWords(text: string): readonly string[] {
  const words = text.normalize('NFKC').toLowerCase().match(word) ?? []
  const asked = words.filter((each) => !courtesies.has(each))
  const compared = asked.length === 0 ? words : asked
  return compared.map((each, at) => (isReference(each, compared[at - 1]) ? '0' : each))
}

function isReference(each: string, before: string | undefined): boolean {
  return longNumber.test(each) || (before !== undefined && numbered.has(before) && /\d/.test(each))
}

function hashesOf(compared: string, words: readonly string[]): Uint32Array {
  const numbers = words.filter((each) => /^\d+$/.test(each) && each !== '0').join(' ')
  const runs = Math.max(1, compared.length - runLength + 1)
  const copies = numbers === '' || compared.length > shortPrompt ? 0 : runs
  const hashes = new Uint32Array(runs + copies)
  for (let at = 0; at < runs; at++) hashes[at] = hashRun(compared, at, at + runLength)
  for (let copy = 0; copy < copies; copy++) {
    const salted = `#${copy} ${numbers}`
    hashes[runs + copy] = hashRun(salted, 0, salted.length)
  }
  return hashes
}

/** Sorts only the hashes below a bound that several times as many as needed are expected to be under. */
function smallest(hashes: Uint32Array): Uint32Array {
  const bound = Math.ceil((2 ** 32 * sketchSize * 6) / Math.max(1, hashes.length))
  const low = bound >= 2 ** 32 ? hashes : hashes.filter((each) => each < bound)
  const found = distinct(low)
  return found.length >= sketchSize || low === hashes ? found : distinct(hashes)
}

function distinct(hashes: Uint32Array): Uint32Array {
  const sorted = hashes.slice().sort()
  return sorted.filter((each, at) => at === 0 || each !== sorted[at - 1]).slice(0, sketchSize)
}

/** FNV-1a, mixed so that the smallest hashes are a random choice. */
function hashRun(text: string, from: number, to: number): number {
  let state = 0x811c9dc5
  for (let at = from; at < to && at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  return mix(state)
}

/**
 * Estimates the share of runs of characters that two prompts have in common, 0 to 1. It is exact for prompts whose
 * sketches are not full.
 *
 * @see Broder, "On the resemblance and containment of documents" (1997)
 */
export function likeness(a: Uint32Array, b: Uint32Array): number {
  const limit = Math.max(a.length, b.length) < sketchSize ? Number.POSITIVE_INFINITY : sketchSize
  let [atA, atB, common, all] = [0, 0, 0, 0]
  while (all < limit && (atA < a.length || atB < b.length)) {
    const valueA = atA < a.length ? (a[atA] ?? 0) : Number.POSITIVE_INFINITY
    const valueB = atB < b.length ? (b[atB] ?? 0) : Number.POSITIVE_INFINITY
    if (valueA <= valueB) atA += 1
    if (valueB <= valueA) atB += 1
    if (valueA === valueB) common += 1
    all += 1
  }
  return all === 0 ? 0 : common / all
}
