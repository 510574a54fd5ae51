/** Words of an answer that are compared; the rest of a long one is left out. */
const maxWords = 500

/**
 * Share of the triples of words that are distinct, within the answers to each prompt, and then the mean of the prompts. A model
 * that always says the same has a low one, however many prompts there are.
 *
 * @param groups the answers to each prompt
 * @returns 0..1; null without an answer of three words
 */
export function distinctShare(groups: readonly (readonly string[])[]): number | null {
  const shares = groups.flatMap((answers) => {
    const triples = answers.flatMap(triplesOf)
    return triples.length === 0 ? [] : [new Set(triples).size / triples.length]
  })
  return shares.length === 0 ? null : shares.reduce((sum, share) => sum + share, 0) / shares.length
}

function triplesOf(answer: string): readonly string[] {
  const words = (answer.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, maxWords)
  return words.slice(2).map((word, index) => `${words[index]} ${words[index + 1]} ${word}`)
}
