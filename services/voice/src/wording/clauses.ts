/** The part of a model's text that is not spoken yet. */
export interface ClauseState {
  readonly rest: string
  /** When the first character of `rest` came, in milliseconds of a monotonic clock; null: it is empty. */
  readonly sinceMs: number | null
  /** False until the first clause: that one is not waited for. */
  readonly hasClause: boolean
}

export const newClauses: ClauseState = { rest: '', sinceMs: null, hasClause: false }

/** Words from which on a comma ends a clause too, and after which an unfinished clause is spoken. */
const minWords = 4
/** How long the first clause waits for its end. */
const firstWaitMs = 250
/** Longest clause: what a synthesizer takes at once. */
const maxClauseLength = 400

interface Step {
  readonly state: ClauseState
  /** With the white space between them, the clauses are the text. */
  readonly clauses: readonly string[]
}

/** Adds text of a model that is still writing. @returns the clauses that can be spoken now */
export function addText(state: ClauseState, text: string, atMs: number): Step {
  const clauses: string[] = []
  let rest = state.rest + text
  for (let end = clauseEnd(rest); end > 0; end = clauseEnd(rest)) {
    clauses.push(rest.slice(0, end).trim())
    rest = rest.slice(end).trimStart()
  }
  const hasClause = state.hasClause || clauses.length > 0
  const isOlder = state.rest !== '' && clauses.length === 0
  const sinceMs = rest.trim() === '' ? null : isOlder ? state.sinceMs : atMs
  return { state: { rest, sinceMs, hasClause }, clauses: clauses.filter(Boolean) }
}

/** To be called while nothing is spoken yet: the first clause does not wait long for its end. */
export function passTime(state: ClauseState, atMs: number): Step {
  const isDue = !state.hasClause && state.sinceMs !== null && atMs - state.sinceMs >= firstWaitMs
  const end = isDue ? lastWordEnd(state.rest) : 0
  if (end === 0 || wordCount(state.rest.slice(0, end)) < minWords) return { state, clauses: [] }
  const rest = state.rest.slice(end).trimStart()
  const next = { rest, sinceMs: rest === '' ? null : atMs, hasClause: true }
  return { state: next, clauses: [state.rest.slice(0, end).trim()] }
}

/** The model has ended. */
export function endText(state: ClauseState): Step {
  const rest = state.rest.trim()
  return { state: { rest: '', sinceMs: null, hasClause: true }, clauses: rest === '' ? [] : [rest] }
}

/** A line that no model wrote, as it is spoken: whole, or in clauses when a synthesizer cannot take it at once. */
export function clausesOf(line: string): readonly string[] {
  if (line.length <= maxClauseLength) return [line]
  const { state, clauses } = addText(newClauses, line, 0)
  return [...clauses, ...endText(state).clauses]
}

/** Abbreviations whose full stop ends no sentence, and initials. */
const abbreviation = /(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|vs|e\.g|i\.e|etc|no|nr|bzw|z\.b|sr|sra|\p{L})\.$/iu

/** Where the first clause ends, behind its white space; 0 when it may go on. It reads no more than a clause, however long the text. */
function clauseEnd(text: string): number {
  const beginning = text.slice(0, maxClauseLength)
  // A mark is an end only when white space follows: `3.5`, `10:30` and `example.com` are one word.
  for (const match of beginning.matchAll(/([.!?;:,…])["'”’)\]*]{0,3}\s+|\n\s*/g)) {
    const clause = beginning.slice(0, match.index + match[0].length)
    const mark = match[1]
    if (mark === ',' && wordCount(clause) < minWords) continue
    if (mark === '.' && abbreviation.test(clause.trim())) continue
    if (clause.trim() === '') continue
    return clause.length
  }
  return text.length > maxClauseLength ? lastWordEnd(beginning) || maxClauseLength : 0
}

/** Behind the last word that is followed by white space. */
function lastWordEnd(text: string): number {
  const end = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n'))
  return end <= 0 ? 0 : end + 1
}

function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}
