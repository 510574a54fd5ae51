import type { Verdict } from '@ratchet/contracts/criteria'
import { lastObjectsFirst } from '@ratchet/judge-kit/prompt/json-objects'
import { keepableText } from '@ratchet/judge-kit/prompt/keepable-text'

export interface JudgeVerdict {
  readonly verdict: Verdict
  readonly explanation: string
}

/** Characters of an explanation that are kept. */
const longestExplanation = 4_000

/**
 * The verdict that a judge's message gives: that of the last JSON object in it with a `verdict` of `PASS` or `FAIL` and an
 * `explanation`, once the judge's thoughts are left out. Objects within other objects, which a judge may quote, are not
 * looked at. Null for everything else. Takes linear time.
 */
export function parseVerdict(message: string): JudgeVerdict | null {
  for (const object of lastObjectsFirst(message)) {
    const verdict = readVerdict(object)
    if (verdict !== null) return verdict
  }
  return null
}

const verdicts: ReadonlyMap<unknown, Verdict> = new Map<unknown, Verdict>([
  ['PASS', 'pass'],
  ['FAIL', 'fail'],
])

function readVerdict({ verdict: word, explanation }: Readonly<Record<string, unknown>>): JudgeVerdict | null {
  const verdict = verdicts.get(word)
  if (verdict === undefined || typeof explanation !== 'string') return null
  return { verdict, explanation: keepableText(explanation, longestExplanation) }
}
