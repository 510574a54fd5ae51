import { asList, asObject, asText, type Fields } from '@ratchet/service-kit/values/json'

export interface Texts {
  readonly text: string
  /** Reasoning in clear text. */
  readonly reasoning: string
}

/**
 * The texts of a chat message or of a delta. Content is a string or, with some providers, a list of parts, in which a
 * thinking part has a list of its own.
 */
export function readTexts({ content, reasoning_content, reasoning }: Fields): Texts {
  const beside = asText(reasoning_content) ?? asText(reasoning) ?? ''
  if (typeof content === 'string') return { text: content, reasoning: beside }
  const parts = asList(content).map(asObject)
  const thoughts = parts.flatMap((part) =>
    asList(part?.thinking).map((thought) => asText(asObject(thought)?.text) ?? ''),
  )
  return { text: parts.map((part) => asText(part?.text) ?? '').join(''), reasoning: beside + thoughts.join('') }
}
