/** True when the whole text matches. */
export type TextMatcher = (text: string) => boolean

const POSITIONS_MAX = 256

/**
 * Compiles a small regular expression into a matcher that takes linear time for any pattern, so that a model name in a
 * request cannot make a pattern of a configuration file slow. It simulates Glushkov's position automaton and never
 * backtracks.
 *
 * Supported: literals, `.` (any character), `\d` `\w` and escaped punctuation, classes such as `[a-z0-9_-]` and
 * `[^/]`, groups, `|`, and the quantifiers `?` `*` `+` `{m}` `{m,n}`. A pattern always matches the whole text; `^` at the
 * start and `$` at the end are allowed and change nothing.
 *
 * @throws SyntaxError with the offset of the first part that is not supported
 * @see Glushkov 1961, doi:10.1070/RM1961v016n05ABEH004112
 * @example compileLinearPattern('^sim/fail-[45]\\d\\d$')('sim/fail-503') // true
 */
export function compileLinearPattern(source: string): TextMatcher {
  const { reader, whole } = readPattern(source)
  return matcherOf(reader, whole)
}

/**
 * Number of characters of a pattern with its repeats written out, 0 to 256. The time for each character of a text grows with it.
 *
 * @throws SyntaxError as {@link compileLinearPattern}
 */
export function linearPatternSize(source: string): number {
  return readPattern(source).reader.accepts.length
}

/**
 * Why a person's pattern for a whole text cannot be used; null when it can. With one anchor alone it is refused: who wrote
 * `[.]$` means a text that ends so, not a text of one character.
 */
export function wholePatternProblem(source: string): string | null {
  try {
    readPattern(source)
  } catch (error) {
    if (error instanceof SyntaxError) return error.message
    throw error
  }
  const { atStart, atEnd } = anchorsOf(source)
  if (atStart === atEnd) return null
  return `it is compared with the whole text; in place of \`${atStart ? '^' : '$'}\` alone, write \`.*\` at the other end`
}

/** Whether a pattern begins with `^`, and ends with a `$` that is not escaped. */
export function anchorsOf(source: string): { readonly atStart: boolean; readonly atEnd: boolean } {
  return { atStart: source.startsWith('^'), atEnd: /(?<!\\)(?:\\\\)*\$$/.test(source) }
}

function readPattern(source: string) {
  const reader: Reader = { source, at: source.startsWith('^') ? 1 : 0, accepts: [], follow: [] }
  const whole = readAlternatives(reader)
  if (source.slice(reader.at) === '$') reader.at += 1
  if (reader.at < source.length) throw unexpected(reader)
  return { reader, whole }
}

/** A part of the pattern: the positions that can begin it, those that can end it, and whether it can be empty. */
interface Part {
  readonly nullable: boolean
  readonly first: readonly number[]
  readonly last: readonly number[]
}

type CharacterTest = (character: string) => boolean

interface Reader {
  readonly source: string
  at: number
  /** By position: the characters that it accepts, and the positions that may follow. */
  readonly accepts: CharacterTest[]
  readonly follow: Set<number>[]
}

const NOTHING: Part = { nullable: true, first: [], last: [] }

/**
 * Sets of positions are bits, 32 to a word, so that a character costs at most some thousand operations however many
 * positions follow each other.
 */
function matcherOf({ accepts, follow }: Reader, whole: Part): TextMatcher {
  const words = Math.ceil(accepts.length / 32)
  const setOf = (positions: Iterable<number>) => {
    const bits = new Int32Array(words)
    for (const position of positions) bits[position >> 5] = (bits[position >> 5] ?? 0) | (1 << (position & 31))
    return bits
  }
  const [first, last] = [setOf(whole.first), setOf(whole.last)]
  const followers = follow.map(setOf)
  const acceptedBy = (character: string) => setOf(accepts.flatMap((test, at) => (test(character) ? at : [])))
  return (text) => {
    const known = new Map<string, Int32Array>()
    let [reachable, next] = [first.slice(), new Int32Array(words)]
    let isAccepted = whole.nullable
    for (let at = 0; at < text.length; at += 1) {
      const character = text.charAt(at)
      const accepted = known.get(character) ?? acceptedBy(character)
      known.set(character, accepted)
      next.fill(0)
      isAccepted = false
      for (let word = 0; word < words; word += 1) {
        let bits = (reachable[word] ?? 0) & (accepted[word] ?? 0)
        isAccepted ||= (bits & (last[word] ?? 0)) !== 0
        for (; bits !== 0; bits &= bits - 1) addAll(next, followers[word * 32 + 31 - Math.clz32(bits & -bits)])
      }
      ;[reachable, next] = [next, reachable]
    }
    return isAccepted
  }
}

function addAll(set: Int32Array, others: Int32Array | undefined): void {
  if (others === undefined) return
  for (let word = 0; word < set.length; word += 1) set[word] = (set[word] ?? 0) | (others[word] ?? 0)
}

function readAlternatives(reader: Reader): Part {
  let part = readSequence(reader)
  while (reader.source[reader.at] === '|') {
    reader.at += 1
    part = either(part, readSequence(reader))
  }
  return part
}

function readSequence(reader: Reader): Part {
  let part = NOTHING
  while (reader.at < reader.source.length && !'|)$'.includes(reader.source.charAt(reader.at))) {
    part = then(reader, part, readRepeated(reader))
  }
  return part
}

function readRepeated(reader: Reader): Part {
  const start = reader.at
  const once = readOne(reader)
  const found = /^(?:[?*+]|\{(\d{1,3})(?:,(\d{1,3}))?\})/.exec(reader.source.slice(reader.at))
  if (found === null) return once
  const [quantifier, least, most = least] = found
  const end = reader.at + quantifier.length
  if (once.nullable || '?*+{'.includes(reader.source[end] ?? 'none')) throw unexpected(reader)
  const part =
    least === undefined
      ? repeat(reader, once, quantifier)
      : copies(reader, { start, once, least: Number(least), most: Number(most) })
  reader.at = end
  return part
}

function repeat(reader: Reader, once: Part, quantifier: string): Part {
  if (quantifier !== '?') link(reader, once.last, once.first)
  return quantifier === '+' ? once : { ...once, nullable: true }
}

interface Repetition {
  /** Offset of the repeated text. */
  readonly start: number
  readonly once: Part
  readonly least: number
  readonly most: number
}

/** Reads `x{2,4}` as `xxx?x?`. Every copy needs its own positions, so the text is read again for each. */
function copies(reader: Reader, { start, once, least, most }: Repetition): Part {
  if (most < least || most === 0) throw unexpected(reader)
  let part = least === 0 ? { ...once, nullable: true } : once
  for (let copy = 2; copy <= most; copy += 1) {
    reader.at = start
    const next = readOne(reader)
    part = then(reader, part, copy > least ? { ...next, nullable: true } : next)
  }
  return part
}

function readOne(reader: Reader): Part {
  if (reader.source[reader.at] === '(') return readGroup(reader)
  const accepts = readCharacter(reader)
  const position = reader.accepts.push(accepts) - 1
  reader.follow.push(new Set())
  if (position >= POSITIONS_MAX) throw new SyntaxError(`more than ${POSITIONS_MAX} characters, repeats written out`)
  return { nullable: false, first: [position], last: [position] }
}

function readGroup(reader: Reader): Part {
  const open = reader.at
  reader.at += reader.source.startsWith('(?:', open) ? 3 : 1
  const part = readAlternatives(reader)
  if (reader.source[reader.at] !== ')') throw new SyntaxError(`the group at offset ${open} is not closed`)
  reader.at += 1
  return part
}

function readCharacter(reader: Reader): CharacterTest {
  const rest = reader.source.slice(reader.at)
  const [text] =
    /^(?:\[\^?(?:[^\\\][^]|\\[dw]|\\[^a-zA-Z0-9\s])+\]|\\[dw]|\\[^a-zA-Z0-9\s]|[^\\()[\]{}?*+|^$])/.exec(rest) ?? []
  if (text === undefined) throw unexpected(reader)
  const test = testOf(reader, text)
  reader.at += text.length
  return test
}

/** One literal, escape or class. As a regular expression each is one character wide, so it cannot backtrack. */
function testOf(reader: Reader, text: string): CharacterTest {
  if (text === '.') return () => true
  if (text.length === 1) return (character) => character === text
  try {
    const expression = new RegExp(`^${text}$`)
    return (character) => expression.test(character)
  } catch {
    throw unexpected(reader)
  }
}

function either(left: Part, right: Part): Part {
  return {
    nullable: left.nullable || right.nullable,
    first: [...left.first, ...right.first],
    last: [...left.last, ...right.last],
  }
}

function then(reader: Reader, left: Part, right: Part): Part {
  link(reader, left.last, right.first)
  return {
    nullable: left.nullable && right.nullable,
    first: left.nullable ? [...left.first, ...right.first] : left.first,
    last: right.nullable ? [...left.last, ...right.last] : right.last,
  }
}

function link(reader: Reader, from: readonly number[], to: readonly number[]): void {
  for (const position of from) for (const next of to) reader.follow[position]?.add(next)
}

function unexpected({ source, at }: Reader): SyntaxError {
  const what = source[at] === undefined ? 'the end' : JSON.stringify(source[at])
  return new SyntaxError(`${what} at offset ${at} is not understood`)
}
