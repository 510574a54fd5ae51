import { type Alphabet, alphabetCount } from './alphabets.ts'
import { mayFollowName, nameReach } from './name-endings.ts'
import { NameStems } from './name-stems.ts'
import { createSecretClassifier, type SecretClassifier } from './secret-classifier.ts'

/** Which texts count as secrets. */
export interface SecretScope {
  /**
   * Only secrets of a known form: keys, tokens, private keys, passwords in URLs. Not values that are recognized by the
   * name before them, as in `password: …`.
   */
  readonly shapedOnly: boolean
}

/** Where the cookies of a header are. */
export interface CookieRange {
  readonly start: number
  readonly end: number
  /** Only the first pair is a cookie; the others are its settings, as in `Set-Cookie`. */
  readonly single: boolean
}

const slots = 4

/**
 * A text, for one scan from beginning to end, that caches what was read in it, so that every character is visited a
 * bounded number of times, whatever the number of rules. Calls are cheap as long as their indexes increase.
 */
export class TextView implements SecretScope {
  readonly text: string
  readonly shapedOnly: boolean
  /** The last header for cookies that the scan has reached. */
  cookies: CookieRange | null = null
  readonly #units: Uint16Array
  readonly #stems: NameStems
  // The caches are allocated on first use, because most texts are short and need none.
  #starts: Int32Array | null = null
  #ends = new Int32Array(0)
  // The arguments and results of the last calls of `next`.
  readonly #needles: string[] = []
  readonly #froms: number[] = []
  readonly #ats: number[] = []
  #classifier: SecretClassifier | null = null

  /** @param units of the text, which are valid while this view is used */
  constructor(text: string, units: Uint16Array, { shapedOnly }: SecretScope) {
    this.text = text
    this.shapedOnly = shapedOnly
    this.#units = units
    this.#stems = new NameStems(units, nameReach)
  }

  /**
   * A cheap first check whether the text before a sign may end with the name of a secret in ASCII: by its last letters,
   * and by the stems of words for secrets (`key`, `token`, …), one of which every name contains.
   */
  mayFollowName(at: number): boolean {
    if (!mayFollowName(this.#units, at)) return false
    const end = this.#stems.lastEnd(at)
    return end >= 0 && at - end <= nameReach
  }

  /** The end of the last word stem at or before `at`; -1 when there is none nearby. */
  lastStemEnd(at: number): number {
    return this.#stems.lastEnd(at)
  }

  /**
   * The end of the run of alphabet members that begins at `from`; `from` when the first character is not a member.
   *
   * @param slot 0..3: a rule that reads several runs in turn passes a slot for each, so that they do not evict each other.
   */
  runEnd({ id, members }: Alphabet, from: number, slot = 0): number {
    if (this.#starts === null) {
      this.#starts = new Int32Array(alphabetCount * slots).fill(-1)
      this.#ends = new Int32Array(alphabetCount * slots).fill(-1)
    }
    const cell = id * slots + slot
    const known = this.#ends[cell] as number
    if (from < known && from >= (this.#starts[cell] as number)) return known
    const units = this.#units
    const { length } = this.text
    let end = from
    while (end < length) {
      const code = units[end] as number
      if (code > 127 || members[code] === 0) break
      end++
    }
    this.#starts[cell] = from
    this.#ends[cell] = end
    return end
  }

  /** Index of the next `needle` at or after `from`; -1 when there is none. */
  next(needle: string, from: number): number {
    let index = this.#needles.indexOf(needle)
    if (index < 0) index = this.#needles.push(needle) - 1
    const known = this.#ats[index] ?? 0
    if (from >= (this.#froms[index] ?? Infinity) && (known === -1 || from <= known)) return known
    const at = this.text.indexOf(needle, from)
    this.#froms[index] = from
    this.#ats[index] = at
    return at
  }

  /** Made on first use: most texts hold nothing that looks like a secret. */
  classifier(): SecretClassifier {
    this.#classifier ??= createSecretClassifier(this.text)
    return this.#classifier
  }
}
