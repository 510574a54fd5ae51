import type { Alphabet } from './alphabets.ts'
import { alphabetCount } from './alphabets.ts'
import { type Judge, judgeOf } from './judge.ts'

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
  /** Who judges the names and values of this text. */
  judge(): Judge
}

const stems = /pass|pwd|pw|psk|secret|token|key|cred|auth|sig|senha|kennwort|contrase|identified/gi

const slots = 4

/** Wraps a text for one scan from its beginning to its end. */
export function viewText(text: string, { shapedOnly }: SecretScope): TextView {
  // Most texts are short and ask for nothing: what remembers is made when something is to be remembered.
  let starts: number[] | null = null
  let ends: number[] = []
  // What `next` was asked for, from where, and what it found.
  const needles: string[] = []
  const froms: number[] = []
  const ats: number[] = []
  let lastStem = -1
  let nextStem = -2
  let pattern: RegExp | null = null
  let judge: Judge | null = null
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
    judge() {
      judge ??= judgeOf(text)
      return judge
    },
  }
}
