import { tokensOf } from '../answers/tokenize.ts'

const alternatives = [' the', ' a', ' and', '.', ' of', ' to', ' in', ',', ' is', ' it']

/** The `logprobs` object of a choice: invented but deterministic numbers, one entry per token of `text`. */
export function logprobsOf(text: string, top: number) {
  return { content: Array.from(tokensOf(text), (token) => entryOf(token, top)), refusal: null }
}

function entryOf(token: string, top: number) {
  const chosen = probabilityOf(token, -0.05 - (checksum(token) % 400) / 1000)
  const others = Array.from({ length: Math.max(top - 1, 0) }, (_, index) =>
    probabilityOf(
      `${alternatives[index % alternatives.length]}${index < alternatives.length ? '' : index}`,
      -1.5 - index / 2,
    ),
  )
  return { ...chosen, top_logprobs: top === 0 ? [] : [chosen, ...others] }
}

function probabilityOf(token: string, logprob: number) {
  return { token, logprob, bytes: [...Buffer.from(token)] }
}

function checksum(text: string): number {
  let sum = 0
  for (let index = 0; index < text.length; index += 1) sum = (sum * 31 + text.charCodeAt(index)) >>> 0
  return sum
}
