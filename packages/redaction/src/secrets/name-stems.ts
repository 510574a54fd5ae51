/** Letters of the longest stem. */
const longestStem = 10
const stems = 'pass pwd pw psk secret token key cred auth sig senha kennwort contrase identified'.split(' ')
/** By code unit: 1 to 26 for letters in either case. */
const letters = new Uint8Array(0x10000)
for (let letter = 1; letter <= 26; letter++) {
  letters[0x40 + letter] = letter
  letters[0x60 + letter] = letter
}
/** By the first two letters: the stems that begin with them, as letters, the longer one first. */
const stemsOf: (readonly Uint8Array[] | undefined)[] = Array.from({ length: 1_024 })
/** By the first two letters: 1 when a stem begins with them. */
const isStart = new Uint8Array(1_024)
for (const stem of stems) {
  const codes = Uint8Array.from(stem, (letter) => letters[letter.charCodeAt(0)] ?? 0)
  const start = (codes[0] as number) * 32 + (codes[1] as number)
  stemsOf[start] = [...(stemsOf[start] ?? []), codes]
  isStart[start] = 1
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
      const begin = (letters[units[start] as number] as number) * 32 + (letters[units[start + 1] as number] as number)
      if (isStart[begin] === 0) {
        start += 1
        continue
      }
      const length = stemLength(units, start, begin)
      if (start + length > at) break
      start += Math.max(1, length)
      if (length > 0) this.#lastEnd = start
    }
    this.#read = start
    return this.#lastEnd
  }
}

/** The length of the stem at `at`; 0 when there is none. */
function stemLength(units: Uint16Array, at: number, begin: number): number {
  const candidates = stemsOf[begin] ?? []
  for (let index = 0; index < candidates.length; index++) {
    const stem = candidates[index] as Uint8Array
    let same = 2
    while (same < stem.length && letters[units[at + same] as number] === stem[same]) same++
    if (same === stem.length) return same
  }
  return 0
}
