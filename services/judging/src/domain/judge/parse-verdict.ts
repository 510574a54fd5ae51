import type { Verdict } from '@ratchet/contracts/criteria'
import { keepableText } from './keepable-text.ts'
import { stripReasoning } from './strip-reasoning.ts'

export interface JudgeVerdict {
  readonly verdict: Verdict
  readonly explanation: string
}

/** Characters of a judge's message; a longer one is no verdict. */
const longestMessage = 200_000
/** Characters of an explanation that are kept. */
const longestExplanation = 4_000

/**
 * The verdict that a judge's message gives: that of the last JSON object in it with a `verdict` of `PASS` or `FAIL` and an
 * `explanation`, once the judge's thoughts are left out. Objects within other objects, which a judge may quote, are not
 * looked at. Null for everything else. Takes linear time.
 */
export function parseVerdict(message: string): JudgeVerdict | null {
  if (message.length > longestMessage) return null
  const objects = outermostObjects(stripReasoning(message))
  for (const text of objects.reverse()) {
    const verdict = readVerdict(text)
    if (verdict !== null) return verdict
  }
  return null
}

const verdicts: ReadonlyMap<unknown, Verdict> = new Map<unknown, Verdict>([
  ['PASS', 'pass'],
  ['FAIL', 'fail'],
])

function readVerdict(text: string): JudgeVerdict | null {
  const value = readJson(text)
  if (typeof value !== 'object' || value === null) return null
  const { verdict: word, explanation } = value as Readonly<Record<string, unknown>>
  const verdict = verdicts.get(word)
  if (verdict === undefined || typeof explanation !== 'string') return null
  return { verdict, explanation: keepableText(explanation, longestExplanation) }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * The texts that may be JSON objects, none within another. What is never closed hides whatever follows it: a
 * message that leaves open what is quoted and what is said has no verdict.
 */
function outermostObjects(text: string): string[] {
  const objects: string[] = []
  // Within an object only these matter; a string is one of them, whatever it holds. None is ever given up half way.
  const token = /"[^"\\]*(?:\\[\s\S]?[^"\\]*)*"?|[{}]/g
  const opening = /\{(?=\s*")/g
  for (let start = opening.exec(text); start !== null; start = opening.exec(text)) {
    const end = closeOf(text, start.index, token)
    if (end === null) break
    objects.push(text.slice(start.index, end))
    opening.lastIndex = end
  }
  return objects
}

/** Behind the brace that closes the one at `start`, or null. */
function closeOf(text: string, start: number, token: RegExp): number | null {
  let depth = 0
  token.lastIndex = start
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === '{') depth += 1
    if (found[0] === '}') depth -= 1
    if (depth === 0) return token.lastIndex
  }
  return null
}
