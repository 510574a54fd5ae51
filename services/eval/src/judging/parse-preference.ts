import { lastObjectsFirst } from '@ratchet/judge-kit/prompt/json-objects'
import { keepableText } from '@ratchet/judge-kit/prompt/keepable-text'
import type { Preference } from './pair-verdict.ts'

export interface JudgePreference {
  readonly preference: Preference
  readonly explanation: string
}

/** Maximum stored characters of an explanation. */
const maxExplanationChars = 4_000

/**
 * Reads the preference from a judge's message: the last JSON object with a `winner` of `first`, `second` or `tie` and an
 * `explanation`, outside of the judge's reasoning. Objects inside other objects are ignored, because a judge may quote
 * them. Null when there is none. Takes linear time, because answers may be hostile.
 */
export function parsePreference(message: string): JudgePreference | null {
  for (const object of lastObjectsFirst(message)) {
    const preference = readPreference(object)
    if (preference !== null) return preference
  }
  return null
}

const preferences: ReadonlyMap<unknown, Preference> = new Map<unknown, Preference>([
  ['first', 'first'],
  ['second', 'second'],
  ['tie', 'tie'],
])

function readPreference({ winner, explanation }: Readonly<Record<string, unknown>>): JudgePreference | null {
  const preference = preferences.get(winner)
  if (preference === undefined || typeof explanation !== 'string') return null
  return { preference, explanation: keepableText(explanation, maxExplanationChars) }
}
