/** What is added to a judge's prompt for each further verdict on an item; the first is given by the prompt alone. */
const additions: readonly string[] = [
  'First consider the strongest reason why it may fail, then decide by the criterion alone.',
  'First consider the strongest reason why it may pass, then decide by the criterion alone.',
  'Decide as a careful reader who reads this criterion for the first time.',
  'Decide as an expert in the subject of the conversation.',
]

/**
 * The prompts with which a judge gives its verdicts on one item. Their agreement is its confidence, as of annotators who read
 * the same question; null is the judge's own prompt.
 *
 * @param count 1..5
 * @see Jung, Brahman & Choi 2024, arXiv:2407.18370
 */
export function verdictPrompts(judgePrompt: string, count: number): readonly (string | null)[] {
  return [null, ...additions.slice(0, count - 1).map((addition) => `${judgePrompt}\n\n${addition}`)]
}
