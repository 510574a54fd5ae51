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
/** Characters that look like `<` and `>` but do not normalise to them. */
const opens = /[˂‹〈⟨❬❮ᐸ]/g
const closes = /[˃›〉⟩❭❯ᐳ]/g

/** The beginning of a delimiter, with the space after its name, which may be a hidden character. */
const delimiterStart = new RegExp(`<${hidden}*<[\\s${hidden}]*(?:${names.map(spelled).join('|')})[\\s${hidden}]+`, 'g')
const delimiterEnd = new RegExp(`>${hidden}*>|[\\n\\r]`, 'g')

const space = `[\\s${hidden}]*`
const dash = `[\\s_${hidden}-]*`
const calls = `${spelled('tool')}${dash}(?:${spelled('call')}|${spelled('result')})`
/** The beginning of a rendered tool call or result, or of the mark of a thought. */
const renderedMark = new RegExp(`\\[${space}(?:${calls}${space}\\]|${spelled('thought')}${space}:)`, 'g')

/**
 * Makes a text safe as data in a prompt: no delimiter with any nonce and no rendered tool call can be read in it. The text
 * remains readable. Takes linear time.
 *
 * Marks are searched in the folded text, where everything that looks like a character of a mark is that character, and
 * each is broken up where it begins. Only spaces before a `<` and backslashes before a `[` are added, and neither can
 * complete another mark, so that none is left.
 */
export function neutraliseMarkers(text: string): string {
  if (!mayHoldMarks(text)) return text
  const { folded, origins } = fold(text)
  const inserted = new Map<number, string>()
  for (const second of delimitersIn(folded)) inserted.set(origins[second] ?? 0, ' ')
  for (const { index } of folded.matchAll(renderedMark)) {
    const origin = origins[index] ?? 0
    if (text[origin - 1] !== '\\') inserted.set(origin, '\\')
  }
  return withInserted(text, inserted)
}

/** False for most ordinary texts, which need not be folded. Every other character may fold to a bracket. */
function mayHoldMarks(text: string): boolean {
  return /<<|\[|[^\0-\x7f]/.test(text)
}

/** Where the second bracket is of each delimiter that is closed on the line of what follows its name. */
function delimitersIn(folded: string): readonly number[] {
  const found: number[] = []
  let next: { readonly at: number; readonly isEnd: boolean } = { at: -1, isEnd: false }
  // Both searches only go forward, which takes linear time.
  for (const { 0: start, index } of folded.matchAll(delimiterStart)) {
    const after = index + start.length
    if (next.at < after) {
      delimiterEnd.lastIndex = after
      const match = delimiterEnd.exec(folded)
      next = { at: match?.index ?? folded.length, isEnd: match?.[0].startsWith('>') ?? false }
    }
    if (next.isEnd) found.push(index + start.indexOf('<', 1))
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
