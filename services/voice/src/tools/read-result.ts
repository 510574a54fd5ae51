import { blotSecrets } from '@ratchet/service-kit/values/blot-secrets'

/** Media types of results that a model can read. */
const readable = /^(?:application\/(?:[\w.+-]{0,60}\+)?json|text\/(?:plain|csv|markdown))(?:\s*;|$)/i

interface Limits {
  readonly maxBytes: number
  /** What must not reach the model, such as values of secret headers that the tool returns. */
  readonly secrets: readonly string[]
}

const cutNote = '\n[the result was longer, and is cut here]'

/**
 * A tool's answer as text for a model.
 *
 * @param type the header `Content-Type`; empty: JSON or text
 * @returns null for anything but JSON and text
 */
export function readResult(type: string, body: Buffer, { maxBytes, secrets }: Limits): string | null {
  if (type !== '' && !readable.test(type)) return null
  const text = blotSecrets(body.toString('utf8'), secrets)
  const bytes = Buffer.from(text.replaceAll('\0', ''))
  if (bytes.length <= maxBytes) return bytes.toString('utf8')
  // A character that the cut divides is left out.
  return (
    bytes
      .subarray(0, maxBytes)
      .toString('utf8')
      .replace(/\ufffd$/, '') + cutNote
  )
}
