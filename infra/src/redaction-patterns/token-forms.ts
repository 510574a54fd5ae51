import type { Part, Sequence } from './parse-pattern.ts'

/** A token: a literal beginning and the rest. */
export interface TokenForm {
  readonly prefix: string
  readonly rest: Sequence
}

/** A class with at most so many characters is a choice of literal beginnings, as in `xox[bp]-`. */
const maxChoices = 3

/** The forms of tokens that a pattern matches, each with the longest literal beginning. */
export function tokenForms(pattern: Sequence, prefix = ''): TokenForm[] {
  const [first, ...rest] = pattern
  if (first === undefined) return [{ prefix, rest }]
  if (first.kind === 'choice') return first.branches.flatMap((branch) => tokenForms([...branch, ...rest], prefix))
  if (first.kind === 'repeat') return [{ prefix, rest: pattern }]
  if (first.written !== null) return tokenForms(rest, prefix + first.written)
  if (first.characters.length > maxChoices) return [{ prefix, rest: pattern }]
  return [...first.characters].flatMap((each) => tokenForms(rest, prefix + each))
}

/** The number of characters that a pattern matches. */
export function lengthOf(sequence: Sequence): { min: number; max: number } {
  const lengths = sequence.map(partLength)
  return {
    min: lengths.reduce((sum, { min }) => sum + min, 0),
    max: lengths.reduce((sum, { max }) => sum + max, 0),
  }
}

function partLength(part: Part): { min: number; max: number } {
  if (part.kind === 'characters') return { min: 1, max: 1 }
  if (part.kind === 'repeat') {
    const { min, max } = partLength(part.part)
    return { min: min * part.min, max: max === 0 ? 0 : max * part.max }
  }
  const branches = part.branches.map(lengthOf)
  return { min: Math.min(...branches.map(({ min }) => min)), max: Math.max(...branches.map(({ max }) => max)) }
}

/** Every character that a pattern can match, sorted. */
export function charactersOf(sequence: Sequence): string {
  const all = sequence.flatMap((part) => {
    if (part.kind === 'characters') return [...part.characters]
    return [...(part.kind === 'repeat' ? charactersOf([part.part]) : part.branches.map(charactersOf).join(''))]
  })
  return [...new Set(all)].toSorted().join('')
}

/**
 * Writes a pattern in JavaScript's syntax. Counts have an upper bound, so that a text that repeats the beginning of a
 * token takes linear time.
 */
export function patternSource(sequence: Sequence): string {
  return sequence.map(partSource).join('')
}

/** Longer tokens are recognized by their beginning. */
const maxRepeats = 100

function partSource(part: Part): string {
  if (part.kind === 'characters') return classSource(part.characters)
  if (part.kind === 'choice') return `(?:${part.branches.map(patternSource).join('|')})`
  const min = Math.min(part.min, maxRepeats)
  const max = Math.min(part.max, Math.max(min, maxRepeats))
  return `${partSource(part.part)}${min === max ? `{${min}}` : `{${min},${max}}`}`
}

function classSource(characters: string): string {
  if (characters.length === 1) return escaped(characters)
  const ranges: string[] = []
  for (let at = 0; at < characters.length; ) {
    let end = at
    while (end + 1 < characters.length && characters.charCodeAt(end + 1) === characters.charCodeAt(end) + 1) end++
    const first = escaped(characters.charAt(at))
    ranges.push(end > at ? `${first}${end > at + 1 ? '-' : ''}${escaped(characters.charAt(end))}` : first)
    at = end + 1
  }
  return `[${ranges.join('')}]`
}

function escaped(character: string): string {
  return /[\w ~"'`!@#%&,:;<=>]/.test(character) ? character : `\\${character}`
}
