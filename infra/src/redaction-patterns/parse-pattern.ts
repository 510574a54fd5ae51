/** A part of a regular expression. Assertions are left out. */
export type Part =
  | { readonly kind: 'characters'; readonly characters: string; readonly written: string | null }
  | { readonly kind: 'choice'; readonly branches: readonly Sequence[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly min: number; readonly max: number }

export type Sequence = readonly Part[]

const lower = 'abcdefghijklmnopqrstuvwxyz'
const upper = lower.toUpperCase()
const digits = '0123456789'
const wordCharacters = `${digits}${upper}_${lower}`
const visible = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')
const classes: Readonly<Record<string, string>> = { w: wordCharacters, d: digits, s: ' \t\n\r', S: visible.slice(1) }
/** A token ends with its line, and at a backslash, which may begin an escaped line break. */
const endsToken = /[\s\\]/
const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/**
 * Parses the subset of RE2's syntax in which gitleaks writes its rules. Characters outside ASCII are not supported.
 *
 * @throws Error when the pattern uses something else
 */
export function parsePattern(pattern: string): Sequence {
  const reader: Reader = { pattern, at: 0 }
  const parts = readChoice(reader, false)
  if (reader.at < pattern.length) throw new Error(`Unexpected ) at ${reader.at} of ${pattern}`)
  return parts
}

interface Reader {
  readonly pattern: string
  at: number
}

/** Reads alternatives up to the end of the group. A flag such as `(?i)` holds up to that end. */
function readChoice(reader: Reader, ignoreCase: boolean): Sequence {
  const branches: Part[][] = [[]]
  let folded = ignoreCase
  while (reader.at < reader.pattern.length && reader.pattern.charAt(reader.at) !== ')') {
    if (skip(reader, '|')) branches.push([])
    else if (skip(reader, '(?i)')) folded = true
    else if (!skipAssertion(reader)) branches.at(-1)?.push(readRepeat(reader, folded))
  }
  return branches.length === 1 ? (branches[0] ?? []) : [{ kind: 'choice', branches }]
}

function skipAssertion(reader: Reader): boolean {
  return ['\\b', '\\B', '\\z', '^', '$'].some((assertion) => skip(reader, assertion))
}

function readRepeat(reader: Reader, ignoreCase: boolean): Part {
  const part = readPart(reader, ignoreCase)
  const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(reader.pattern.slice(reader.at))
  if (found === null) return part
  reader.at += found[0].length
  const [, sign, least = '', comma, most] = found
  if (sign !== undefined) return { kind: 'repeat', part, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity }
  const min = Number(least)
  return { kind: 'repeat', part, min, max: most ? Number(most) : comma ? Infinity : min }
}

function readPart(reader: Reader, ignoreCase: boolean): Part {
  if (skip(reader, '(')) return readGroup(reader, ignoreCase)
  if (skip(reader, '[')) return readClass(reader, ignoreCase)
  // An unescaped dot that is not repeated is meant literally in these rules, as in `hooks.slack.com`.
  if (reader.pattern.charAt(reader.at) === '.' && /^\.[*+?{]/.test(reader.pattern.slice(reader.at))) {
    reader.at++
    return { kind: 'characters', characters: visible, written: null }
  }
  const { characters, written } = readCharacter(reader)
  return { kind: 'characters', characters: ignoreCase ? foldCase(characters) : characters, written }
}

function readGroup(reader: Reader, ignoreCase: boolean): Part {
  const flags = /^\?(?:P<\w+>|(-?)([is]*):)/.exec(reader.pattern.slice(reader.at))
  reader.at += flags?.[0].length ?? 0
  const folded = flags?.[2]?.includes('i') === true ? flags[1] !== '-' : ignoreCase
  const content = readChoice(reader, folded)
  if (!skip(reader, ')')) throw new Error(`A group of ${reader.pattern} does not end`)
  return { kind: 'choice', branches: [content] }
}

function readClass(reader: Reader, ignoreCase: boolean): Part {
  const excluded = skip(reader, '^')
  let characters = ''
  for (let first = true; first || reader.pattern.charAt(reader.at) !== ']'; first = false) {
    if (reader.at >= reader.pattern.length) throw new Error(`A class of ${reader.pattern} does not end`)
    characters += readRange(reader)
  }
  reader.at++
  const members = ignoreCase ? foldCase(characters) : characters
  const all = excluded ? [...visible].filter((each) => !members.includes(each)).join('') : members
  const inToken = [...new Set(all)].filter((each) => !endsToken.test(each))
  return { kind: 'characters', characters: inToken.toSorted().join(''), written: null }
}

function readRange(reader: Reader): string {
  if (skip(reader, '[:alnum:]')) return digits + upper + lower
  const first = readCharacter(reader).characters
  const isRange = reader.pattern.charAt(reader.at) === '-' && reader.pattern.charAt(reader.at + 1) !== ']'
  if (first.length > 1 || !isRange) return first
  reader.at++
  const last = readCharacter(reader).characters
  const length = last.charCodeAt(0) - first.charCodeAt(0) + 1
  return Array.from({ length }, (_, index) => String.fromCharCode(first.charCodeAt(0) + index)).join('')
}

/** Reads a character or an escape; `written` is null when the escape stands for several characters. */
function readCharacter(reader: Reader): { characters: string; written: string | null } {
  const character = reader.pattern.charAt(reader.at++)
  if (character !== '\\') return { characters: character, written: character }
  const escaped = reader.pattern.charAt(reader.at++)
  if (Object.hasOwn(classes, escaped)) return { characters: classes[escaped] ?? '', written: null }
  if (escaped === 'x') {
    const code = Number.parseInt(reader.pattern.slice(reader.at, reader.at + 2), 16)
    reader.at += 2
    return { characters: String.fromCharCode(code), written: String.fromCharCode(code) }
  }
  const written = controls[escaped] ?? escaped
  return { characters: written, written }
}

function foldCase(characters: string): string {
  return [...new Set([...characters].flatMap((each) => [each.toUpperCase(), each.toLowerCase()]))].toSorted().join('')
}

function skip(reader: Reader, expected: string): boolean {
  if (!reader.pattern.startsWith(expected, reader.at)) return false
  reader.at += expected.length
  return true
}
