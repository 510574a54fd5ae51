import type { Alphabet } from './alphabets.ts'
import { alphabetCount } from './alphabets.ts'

/** How much of what a text holds counts as a secret. */
export interface SecretScope {
  /**
   * Only what says itself that it is a secret: keys of a known form, tokens, private keys, passwords in URLs. Not what
   * the name before it says, as in `password: …`.
   */
  readonly shapedOnly: boolean
}

/**
 * A text with a memory of what was read in it, so that however many rules ask, every character is visited a bounded
 * number of times. Asking is cheap as long as the questions move forward.
 */
export interface TextView extends SecretScope {
  readonly text: string
  /**
   * Where the run of members that begins at `from` ends; `from` when its first character is none.
   *
   * @param slot 0..3: rules that ask about several runs one after the other give each its own, lest one evict another.
   */
  runEnd(alphabet: Alphabet, from: number, slot?: number): number
  /** Where the next `needle` begins, at or after `from`; -1 when there is none. */
  next(needle: string, from: number): number
  /** Where the last part of a word ends, at or before `at`, that is in every name of a secret; -1 when there is none. */
  lastStemEnd(at: number): number
}

const stems = /pass|pwd|pw|psk|secret|token|key|cred|auth|sig|senha|kennwort|contrase|identified/gi

const slots = 4

/** Wraps a text for one scan from its beginning to its end. */
export function viewText(text: string, { shapedOnly }: SecretScope): TextView {
  // Most texts are short and ask for nothing: what remembers is made when something is to be remembered.
  let starts: number[] | null = null
  let ends: number[] = []
  let found: Map<string, { from: number; at: number }> | null = null
  let lastStem = -1
  let nextStem = -2
  let pattern: RegExp | null = null
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
      const known = found?.get(needle)
      if (known !== undefined && from >= known.from && (known.at === -1 || from <= known.at)) return known.at
      const at = text.indexOf(needle, from)
      found ??= new Map()
      found.set(needle, { from, at })
      return at
    },
  }
}
