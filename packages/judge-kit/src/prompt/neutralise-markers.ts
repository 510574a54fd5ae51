/** Names of delimiters in all prompts. */
const names = [
  'conversation',
  'candidate',
  'reference',
  'tools',
  'end',
  'first',
  'second',
  'system',
  'developer',
  'user',
  'assistant',
  'tool',
  'function',
  'message',
  'item',
  'instruction',
  'case',
]

/** Stands for a letter outside of ASCII, which may look like any other letter. */
const anyLetter = '\u0001'
/** Stands for a character that is not shown, or that only changes the one before it. */
const hidden = '\u0000'
/** Stand for brackets outside of ASCII, which may look like any bracket, and like two of them. */
const anyOpen = '\u0002'
const anyClose = '\u0003'
/** Stands for a sign of mathematics with a direction, which may look like `<` or `>`. */
const anySign = '\u0004'

/** Brackets by their category without quotation marks, and, of the double signs, all that Unicode has. */
const openBrackets = /(?![\0-\x7f\u2018-\u201f\u301d-\u301f])[\p{Ps}\p{Pi}≪⋘⪡⪣⪻⫷]/gu
const closeBrackets = /(?![\0-\x7f\u2018-\u201f\u301d-\u301f])[\p{Pe}\p{Pf}≫⋙⪢⪼⫸]/gu
const signs = /(?![\0-\x7f])(?=\p{Bidi_Mirrored})\p{Sm}/gu
/** Letters and accents that look like `<` and `>`. */
const opens = /[˂ᐸ]/g
const closes = /[˃ᐳ]/g

/** The beginning of a delimiter, with the space after its name, which may be a hidden character. */
const delimiterStart = new RegExp(
  `(?:[<${anyOpen}${anySign}]${hidden}*[<${anySign}]|${anyOpen})[\\s${hidden}]*(?:${names.map(spelled).join('|')})[\\s${hidden}]+`,
  'g',
)
/** The last bracket of such a beginning. */
const lastBracket = new RegExp(`[<${anyOpen}${anySign}](?=[^<${anyOpen}${anySign}]*$)`)
const delimiterEnd = new RegExp(`[>${anySign}]${hidden}*[>${anySign}]|${anyClose}|[\\n\\r]`, 'g')

const space = `[\\s${hidden}]*`
/** Whatever is between two words that a reader takes for one mark: no letter, digit or bracket. */
const between = `[^a-z0-9${anyLetter}\\[\\]${anyOpen}${anyClose}]*`
const calls = `${spelled('tool')}${between}(?:${spelled('call')}|${spelled('result')})`
/** The beginning of a rendered tool call or result, or of the mark of a thought. */
const renderedMark = new RegExp(
  `[\\[${anyOpen}]${space}(?:${calls}${space}[\\]${anyClose}]|${spelled('thought')}${space}:)`,
  'g',
)

/**
 * Makes a text safe as data in a prompt: no delimiter with any nonce and no rendered tool call can be read in it. The text
 * remains readable. Takes linear time.
 *
 * Marks are searched in the folded text, where everything that looks like a character of a mark is that character, and
 * each is broken up where it begins. Only spaces before the second of two brackets and backslashes before a bracket are
 * added, and neither can complete another mark, so that none is left.
 */
export function neutraliseMarkers(text: string): string {
  if (!mayHoldMarks(text)) return text
  const { folded, origins } = fold(text)
  const inserted = new Map<number, string>()
  const withBackslash = (at: number) => {
    const origin = origins[at] ?? 0
    if (text[origin - 1] !== '\\') inserted.set(origin, '\\')
  }
  for (const last of delimitersIn(folded)) {
    if (folded[last] === anyOpen) withBackslash(last)
    else inserted.set(origins[last] ?? 0, ' ')
  }
  for (const { index } of folded.matchAll(renderedMark)) withBackslash(index)
  return withInserted(text, inserted)
}

/** False for most ordinary texts, which need not be folded. Every other character may fold to a bracket. */
function mayHoldMarks(text: string): boolean {
  return /<<|\[|[^\0-\x7f]/.test(text)
}

/** Where the last bracket before the name is of each delimiter that is closed on the line of what follows its name. */
function delimitersIn(folded: string): readonly number[] {
  const found: number[] = []
  let next: { readonly at: number; readonly isEnd: boolean } = { at: -1, isEnd: false }
  // Both searches only go forward, which takes linear time.
  for (const { 0: start, index } of folded.matchAll(delimiterStart)) {
    const after = index + start.length
    if (next.at < after) {
      delimiterEnd.lastIndex = after
      const match = delimiterEnd.exec(folded)
      next = { at: match?.index ?? folded.length, isEnd: match !== null && !/[\n\r]/.test(match[0]) }
    }
    if (next.isEnd) found.push(index + start.search(lastBracket))
  }
  return found
}

/** The text as a careless reader sees it, and the index in the text of what each of its characters comes from. */
function fold(text: string) {
  const known = new Map<string, string>()
  const pieces: string[] = []
  const origins: number[] = []
  let index = 0
  for (const character of text) {
    const seen = known.get(character) ?? foldCharacter(character)
    known.set(character, seen)
    pieces.push(seen)
    for (let unit = 0; unit < seen.length; unit += 1) origins.push(index)
    index += character.length
  }
  return { folded: pieces.join(''), origins }
}

function foldCharacter(character: string): string {
  if (/^[\p{M}\p{C}\p{Default_Ignorable_Code_Point}]$/u.test(character) && !/\s/.test(character)) return hidden
  return character
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, hidden)
    .replace(opens, '<')
    .replace(closes, '>')
    .replace(openBrackets, anyOpen)
    .replace(closeBrackets, anyClose)
    .replace(signs, anySign)
    .replace(/(?![a-z])\p{L}/gu, anyLetter)
}

/** A pattern for a word, with hidden characters anywhere in it. */
function spelled(word: string): string {
  return [...word].map((letter) => `[${letter}${anyLetter}]`).join(`${hidden}*`)
}

function withInserted(text: string, inserted: ReadonlyMap<number, string>): string {
  if (inserted.size === 0) return text
  const kept: string[] = []
  let from = 0
  for (const [at, mark] of [...inserted].sort(([one], [other]) => one - other)) {
    kept.push(text.slice(from, at), mark)
    from = at
  }
  kept.push(text.slice(from))
  return kept.join('')
}
