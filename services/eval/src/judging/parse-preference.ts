import { lastObjectsFirst } from '@ratchet/judge-kit/prompt/json-objects'
import { keepableText } from '@ratchet/judge-kit/prompt/keepable-text'
import type { Preference } from '../samples/measured-sample.ts'

export interface JudgePreference {
  readonly preference: Preference
  readonly explanation: string
}

/** Characters of an explanation that are kept. */
const longestExplanation = 4_000

/**
 * The preference that a judge's message gives: that of the last JSON object in it with a `winner` of `first`, `second` or
 * `tie` and an `explanation`, once the judge's thoughts are left out. Objects within other objects, which a judge may
 * quote, are not looked at. Null for everything else. Takes linear time.
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
  return { preference, explanation: keepableText(explanation, longestExplanation) }
}
