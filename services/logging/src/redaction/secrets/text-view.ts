import type { Alphabet } from './alphabets.ts'
import { alphabetCount } from './alphabets.ts'
import { createSecretClassifier, type SecretClassifier } from './secret-classifier.ts'

/** Which texts count as secrets. */
export interface SecretScope {
  /**
   * Only secrets of a known form: keys, tokens, private keys, passwords in URLs. Not values that are recognized by the
   * name before them, as in `password: …`.
   */
  readonly shapedOnly: boolean
}

/**
 * A text that caches what was read in it, so that every character is visited a bounded number of times, whatever the
 * number of rules. Calls are cheap as long as their indexes increase.
 */
export interface TextView extends SecretScope {
  readonly text: string
  /**
   * The end of the run of alphabet members that begins at `from`; `from` when the first character is not a member.
   *
   * @param slot 0..3: a rule that reads several runs in turn passes a slot for each, so that they do not evict each other.
   */
  runEnd(alphabet: Alphabet, from: number, slot?: number): number
  /** Index of the next `needle` at or after `from`; -1 when there is none. */
  next(needle: string, from: number): number
  /** The end of the last word stem of a secret's name (`key`, `token`, …) at or before `at`; -1 when there is none. */
  lastStemEnd(at: number): number
  /** Made on first use: most texts hold nothing that looks like a secret. */
  classifier(): SecretClassifier
}

const stems = /pass|pwd|pw|psk|secret|token|key|cred|auth|sig|senha|kennwort|contrase|identified/gi

const slots = 4

/** Wraps a text for one scan from beginning to end. */
export function viewText(text: string, { shapedOnly }: SecretScope): TextView {
  // The caches are allocated on first use, because most texts are short and need none.
  let starts: number[] | null = null
  let ends: number[] = []
  // The arguments and results of the last calls of `next`.
  const needles: string[] = []
  const froms: number[] = []
  const ats: number[] = []
  let lastStem = -1
  let nextStem = -2
  let pattern: RegExp | null = null
  let classifier: SecretClassifier | null = null
  const findStem = () => {
    pattern ??= new RegExp(stems)
    return pattern.test(text) ? pattern.lastIndex : Number.POSITIVE_INFINITY
  }
  return {
    text,
    shapedOnly,
    lastStemEnd(at) {
      if (nextStem === -2) nextStem = findStem()
      while (nextStem <= at) {
        lastStem = nextStem
        nextStem = findStem()
      }
      return lastStem
    },
    runEnd({ id, members }, from, slot = 0) {
      if (starts === null) {
        starts = new Array<number>(alphabetCount * slots).fill(-1)
        ends = [...starts]
      }
      const cell = id * slots + slot
      const known = ends[cell] ?? -1
      if (from < known && from >= (starts[cell] ?? 0)) return known
      let end = from
      while (end < text.length) {
        const code = text.charCodeAt(end)
        if (code > 127 || members[code] === 0) break
        end++
      }
      starts[cell] = from
      ends[cell] = end
      return end
    },
    next(needle, from) {
      let index = needles.indexOf(needle)
      if (index < 0) index = needles.push(needle) - 1
      const known = ats[index] ?? 0
      if (from >= (froms[index] ?? Infinity) && (known === -1 || from <= known)) return known
      const at = text.indexOf(needle, from)
      froms[index] = from
      ats[index] = at
      return at
    },
    classifier() {
      classifier ??= createSecretClassifier(text)
      return classifier
    },
  }
}
