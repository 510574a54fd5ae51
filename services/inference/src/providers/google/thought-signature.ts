import { asObject, type Fields } from '@ratchet/service-kit/values/json'

/**
 * A function call may have a signature of its reasoning, which Google expects back with the call and requires from
 * Gemini 3 on. It is passed as `extra_content.google.thought_signature` of the tool call, where Google's own
 * OpenAI-compatible endpoint puts it (ai.google.dev/gemini-api/docs/thought-signatures). Text may be signed as well,
 * but answers are much the same without those signatures, so they are left out.
 */
export function extraContentOf(signature: string): object {
  return { google: { thought_signature: signature } }
}

/** The signature that a client sent back; null when there is none. */
export function signatureIn(extraContent: Fields | null): string | null {
  const signature = asObject(extraContent?.google)?.thought_signature
  return typeof signature === 'string' && signature !== '' ? signature : null
}

/** The value that Google accepts in place of a signature, for calls of other models and for lost signatures. */
export const foreignSignature = 'skip_thought_signature_validator'
