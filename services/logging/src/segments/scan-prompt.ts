import { commands } from './commands.ts'
import { ABBREVIATIONS, COMPANY_FORMS, DATA_TAGS, STARTERS, TASK_TAGS } from './lexicon.ts'
import { MASK, type Piece, type Unit, type Word } from './prompt-piece.ts'
import { quotedWords } from './quoted-words.ts'
import { opensJson, scanJson } from './scan-json.ts'
import { isWordChar, scanWord } from './scan-word.ts'

const TAG = /<(\/?)([A-Za-z][\w-]{0,40})(?: [^<>]{0,200})?>/y
/** Two words with capitals; attributes of a tag have a sign of equality. */
const SPEAKER = /<\p{Lu}[\p{L}'’-]{0,40} \p{Lu}[\p{L} .'’-]{0,40}>/uy
const CITATION = /\[(?:[a-z]{1,10} )?\d{1,4}\]/iy
const BRACKETED = /\[(?!redacted\])[A-Za-z][\w'’ ]{2,60}\](?!\()/y
/** A quotation up to this length may be one of the answers to choose from. */
const SHORT_QUOTATION = 30
/** It begins an item of a list. */
const CHECKBOX = '[ ]'
/** `No, the other one` instructs nobody, unlike `No lists`. */
const INTERJECTIONS = new Set(['no', 'yes', 'ok', 'okay', 'well'])
/** `Name ........ Smith` */
const LEADER = /\.{3,}(?= |$)/y
/** The second of two cells, behind which another row begins, or no row follows. */
const REST_OF_ROW = /\| [^|]{1,200}\|(?: ?\||$| [^|]*$)/y
const FENCES = ['```', '"""', "'''", '~~~']

/** Splits a whitespace-normalized prompt into units, tags and blocks of data, in one pass. */
export function scanPrompt(text: string): Piece[] {
  const pieces: Piece[] = []
  const unclosed = new Set<string>()
  let words: Word[] = []
  let lead = 'none' as Unit['lead']
  let at = 0

  const flush = (colon: boolean, nextLead: Unit['lead'] = 'none') => {
    if (words.length > 0)
      pieces.push({ kind: 'unit', words: colon ? withoutQuotation(words, text) : words, colon, lead })
    words = []
    lead = nextLead
  }
  const push = (piece: Piece, end: number) => {
    flush(false)
    pieces.push(piece)
    at = end
  }

  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === 0x20) at += 1
    else if (isWordChar(code)) {
      const word = scanWord(text, at)
      if (words.length > 0 && word.capital && STARTERS.has(word.text) && text[at - 1] === ' ') flush(false)
      const isInterjection = words.length === 0 && text[word.end] === ',' && INTERJECTIONS.has(word.text)
      if (!isInterjection) words.push(word)
      at = word.end
    } else {
      const delimited = scanDelimited(text, at, unclosed)
      if (delimited !== null) push(delimited.piece, delimited.end)
      else if (lead === 'bracket' && text[at] === ']') {
        flush(true)
        at += 1
      } else {
        const mark = markAt(text, at, words.at(-1))
        if (mark !== null) flush(mark.colon, mark.lead)
        at += mark?.length ?? 1
      }
    }
  }
  flush(false)
  return pieces
}

/** `Pages found for "the lost card":` is about any text, unlike `Answer with "pass on":`. */
function withoutQuotation(words: Word[], text: string): Word[] {
  const quoted = quotedWords(words, text)
  if (quoted.size < 2 || quoted.size === words.length || commands({ words })) return words
  return words.flatMap((word, index) => {
    if (!quoted.has(word)) return [word]
    const before = words[index - 1]
    return before !== undefined && quoted.has(before) ? [] : [{ ...word, text: MASK, capital: false }]
  })
}

/** Reads the fence, tag or JSON value that opens at `at`. `unclosed` remembers delimiters that do not occur again. */
function scanDelimited(text: string, at: number, unclosed: Set<string>): { piece: Piece; end: number } | null {
  const sign = text[at]
  if (sign === '<') return scanSpeaker(text, at) ?? scanTag(text, at, unclosed)
  if (sign === '{' || sign === '[') {
    if (unclosed.has('{') || !opensJson(text, at)) return null
    const json = scanJson(text, at)
    if (json === null) unclosed.add('{')
    return json
  }
  if (sign === '"' && !text.startsWith('""', at)) return scanQuotation(text, at, unclosed)
  const fence = FENCES.find((mark) => text.startsWith(mark, at))
  if (fence === undefined || unclosed.has(fence)) return null
  const close = text.indexOf(fence, at + 3)
  if (close === -1) {
    unclosed.add(fence)
    return null
  }
  return { piece: fencedPiece(text.slice(at + 3, close)), end: close + 3 }
}

/** `<Maria Lopez> hello` of a chat: a key, as `Maria Lopez:` is. */
function scanSpeaker(text: string, at: number): { piece: Piece; end: number } | null {
  SPEAKER.lastIndex = at
  if (!SPEAKER.test(text)) return null
  const end = SPEAKER.lastIndex
  const words = [{ text: MASK, capital: false, start: at + 1, end: end - 1 }]
  return { piece: { kind: 'unit', words, colon: true, lead: 'none' }, end }
}

function fencedPiece(content: string): Piece {
  const open = content.search(/[{[]/)
  const json = open >= 0 && open < 8 && opensJson(content, open) ? scanJson(content, open) : null
  return json?.piece ?? { kind: 'block', tag: 'fence' }
}

function scanTag(text: string, at: number, unclosed: Set<string>): { piece: Piece; end: number } | null {
  TAG.lastIndex = at
  const match = TAG.exec(text)
  if (match === null) return null
  const tag = (match[2] ?? '').toLowerCase()
  const end = TAG.lastIndex
  if (match[1] === '/') return { piece: { kind: 'close', tag }, end }
  if (!holdsData(tag)) return { piece: { kind: 'open', tag }, end }
  const closing = `</${match[2]}>`
  const close = unclosed.has(tag) ? -1 : text.indexOf(closing, end)
  if (close !== -1) return { piece: { kind: 'block', tag }, end: close + closing.length }
  unclosed.add(tag)
  return { piece: { kind: 'open', tag }, end }
}

/** True for `retrieved_docs`, false for `input_format`. */
function holdsData(tag: string): boolean {
  const parts = tag.split(/[_-]/)
  return DATA_TAGS.has(tag) || (parts.some((part) => DATA_TAGS.has(part)) && !parts.some((part) => TASK_TAGS.has(part)))
}

/** `Comment: "…"`: a longer quotation after a colon is inserted text. */
function scanQuotation(text: string, at: number, unclosed: Set<string>): { piece: Piece; end: number } | null {
  if (!/: ?$/.test(text.slice(Math.max(0, at - 2), at)) || unclosed.has('"')) return null
  const close = text.indexOf('"', at + 1)
  if (close === -1) unclosed.add('"')
  return close - at > SHORT_QUOTATION ? { piece: { kind: 'block', tag: 'quote' }, end: close + 1 } : null
}

/** The mark at `at` if it ends a unit; otherwise null. */
function markAt(text: string, at: number, last: Word | undefined) {
  const sign = text.charAt(at)
  if (sign === '.') {
    LEADER.lastIndex = at
    if (last !== undefined && text[at - 1] === ' ' && LEADER.test(text))
      return ended(true, 'none', LEADER.lastIndex - at)
    return last !== undefined && isAbbreviated(text, at, last) ? null : ended(false)
  }
  if (sign === '|') return ended(last !== undefined && isRowKey(text, at, last))
  if ('!?。！？•…'.includes(sign)) return ended(false)
  if (sign === ':' || sign === '：') return ended(true)
  if (sign === '#') return isWordChar(text.charCodeAt(at + 1)) ? null : ended(false, 'heading')
  if (sign === '[') {
    if (text.startsWith(CHECKBOX, at)) return ended(false, 'none', CHECKBOX.length)
    CITATION.lastIndex = at
    if (CITATION.test(text)) return ended(false, 'citation', CITATION.lastIndex - at)
    BRACKETED.lastIndex = at
    return last === undefined && BRACKETED.test(text) ? ended(false, 'bracket') : null
  }
  const alone = (text[at - 1] ?? ' ') === ' ' && text[at + 1] === ' '
  const rule = (sign === '-' || sign === '=') && text[at + 1] === sign && text[at + 2] === sign
  return ('-*–'.includes(sign) && alone) || rule ? ended(false) : null
}

/** The sentence continues in `Dr. Smith` and `Acme Inc. sells`, but not in `Acme Inc. Follow`. */
function isAbbreviated(text: string, at: number, last: Word): boolean {
  if (ABBREVIATIONS.has(last.text)) return true
  const next = text.charAt(at + 2)
  return COMPANY_FORMS.has(last.text) && next !== '' && next === next.toLowerCase()
}

/** True in the first of two cells of a table row, `| name | Smith |`, which is a key with its value. */
function isRowKey(text: string, at: number, last: Word): boolean {
  const from = text.lastIndexOf('|', last.start)
  REST_OF_ROW.lastIndex = at
  return from !== -1 && /(?:^|\| ?)$/.test(text.slice(Math.max(0, from - 2), from)) && REST_OF_ROW.test(text)
}

function ended(colon: boolean, lead: Unit['lead'] = 'none', length = 1) {
  return { colon, lead, length }
}
