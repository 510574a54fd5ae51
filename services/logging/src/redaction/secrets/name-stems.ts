/** Letters of the longest stem. */
const longestStem = 10
const words = 'pass pwd pw psk secret token key cred auth sig senha kennwort contrase identified'.split(' ')
/** By code unit of a letter in either case: the stems that begin with it, as codes of lower-case letters. */
const stems: (readonly Uint8Array[] | undefined)[] = Array.from({ length: 128 })
for (const word of words) {
  for (const first of [word.charCodeAt(0), word.toUpperCase().charCodeAt(0)]) {
    stems[first] = [...(stems[first] ?? []), Buffer.from(word)]
  }
}
/** By code unit: 1 when a stem begins with it, 2 for other letters. */
const letters = new Uint8Array(0x10000)
for (let code = 0; code < 128; code++) {
  if (/[A-Za-z]/.test(String.fromCharCode(code))) letters[code] = stems[code] === undefined ? 2 : 1
}

/**
 * Finds the stems of words that name secrets (`key`, `token`, …) in a text, in either case and from left to right. Parts
 * far from any sign are not read.
 */
export class NameStems {
  readonly #units: Uint16Array
  readonly #reach: number
  /** Stems that begin before it have been found. */
  #read = 0
  #lastEnd = -1

  /** @param reach how far before an index a stem may end that {@link lastEnd} must find */
  constructor(units: Uint16Array, reach: number) {
    this.#units = units
    this.#reach = reach
  }

  /** The end of the last stem at or before `at`, which must not decrease; -1 when there is none within reach. */
  lastEnd(at: number): number {
    const units = this.#units
    let start = Math.max(this.#read, at - this.#reach - longestStem)
    // Stems do not overlap, so a word is read from its beginning.
    while (start > this.#read && letters[units[start - 1] as number] !== 0) start--
    while (start < at) {
      const length = letters[units[start] as number] === 1 ? stemLength(units, start) : 0
      if (start + length > at) break
      start += Math.max(1, length)
      if (length > 0) this.#lastEnd = start
    }
    this.#read = start
    return this.#lastEnd
  }
}

/** The length of the stem at `at`; 0 when there is none. */
function stemLength(units: Uint16Array, at: number): number {
  for (const stem of stems[units[at] as number] ?? []) if (isAt(units, at, stem)) return stem.length
  return 0
}

function isAt(units: Uint16Array, at: number, stem: Uint8Array): boolean {
  for (let index = 1; index < stem.length; index++) {
    if (((units[at + index] as number) | 0x20) !== stem[index]) return false
  }
  return true
}
