import type { Alphabet } from './alphabets.ts'
import { alphabetCount } from './alphabets.ts'

/**
 * A text with a memory of what was read in it, so that however many rules ask, every character is visited a bounded
 * number of times. Asking is cheap as long as the questions move forward.
 */
export interface TextView {
  readonly text: string
  /**
   * Where the run of members that begins at `from` ends; `from` when its first character is none.
   *
   * @param slot 0..3: rules that ask about several runs one after the other give each its own, lest one evict another.
   */
  runEnd(alphabet: Alphabet, from: number, slot?: number): number
  /** Where the next `needle` begins, at or after `from`; -1 when there is none. */
  next(needle: string, from: number): number
  /** Where the last word begins, before `at`, that the name of a secret could have in it; -1 when there is none. */
  lastStem(at: number): number
}

const stems = /pass|pwd|pw|psk|secret|token|key|cred|auth|sig|senha|kennwort|contrase|identified/gi

const slots = 4

/** Wraps a text for one scan from its beginning to its end. */
export function viewText(text: string): TextView {
  const starts = new Int32Array(alphabetCount * slots).fill(-1)
  const ends = new Int32Array(alphabetCount * slots).fill(-1)
  const found = new Map<string, { from: number; at: number }>()
  const stem = { last: -1, next: -2 }
  const pattern = new RegExp(stems)
  const nextStem = () => pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY
  return {
    text,
    lastStem(at) {
      if (stem.next === -2) stem.next = nextStem()
      while (stem.next < at) {
        stem.last = stem.next
        stem.next = nextStem()
      }
      return stem.last
    },
    runEnd({ id, members }, from, slot = 0) {
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
      const known = found.get(needle)
      if (known !== undefined && from >= known.from && (known.at === -1 || from <= known.at)) return known.at
      const at = text.indexOf(needle, from)
      found.set(needle, { from, at })
      return at
    },
  }
}
