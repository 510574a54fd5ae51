import { asObject, type Fields } from '../../wire/chat/chat-chunk.ts'

/**
 * A call of a function may carry a signature of the thought behind it, which Google wants back with the call, and from
 * Gemini 3 on insists on. It travels as `extra_content.google.thought_signature` of the tool call, which is where
 * Google's own OpenAI-compatible endpoint puts it (ai.google.dev/gemini-api/docs/thought-signatures). Text may be signed
 * as well, but answers come out much the same without that, so such signatures are left out.
 */
export function extraContentOf(signature: string): object {
  return { google: { thought_signature: signature } }
}

/** The signature in what a client sent back; null when there is none. */
export function signatureIn(extraContent: Fields | null): string | null {
  const signature = asObject(extraContent?.google)?.thought_signature
  return typeof signature === 'string' && signature !== '' ? signature : null
}

/** What Google takes in place of a signature for calls that it did not make, or whose client lost it. */
export const foreignSignature = 'skip_thought_signature_validator'
