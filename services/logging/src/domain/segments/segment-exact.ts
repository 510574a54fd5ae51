import { hash } from 'node:crypto'
import { normalizeWhitespace } from './normalize-whitespace.ts'

/** The segment, and the exact variant, of an exchange without a system prompt. */
export const NO_SEGMENT = 'none'

/** Names the exact system prompt: 16 hex digits of its SHA-256 after whitespace normalisation, `none` when it is empty. */
export function segmentExact(systemPrompt: string): string {
  return hashNormalized(normalizeWhitespace(systemPrompt))
}

/** The same for a text that is whitespace-normalised already. */
export function hashNormalized(text: string): string {
  return text === '' ? NO_SEGMENT : hash('sha256', text, 'hex').slice(0, 16)
}
