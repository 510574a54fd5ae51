import { hash } from 'node:crypto'
import { normalizeWhitespace } from './normalize-whitespace.ts'

/** Segment and exact variant of an exchange without a system prompt. */
export const NO_SEGMENT = 'none'

/**
 * Identifies the exact system prompt: 16 hex digits of its SHA-256 after whitespace normalization, `none` when it is
 * empty.
 */
export function segmentExact(systemPrompt: string): string {
  return hashNormalized(normalizeWhitespace(systemPrompt))
}

/** {@link segmentExact} of a text that is whitespace-normalized already. */
export function hashNormalized(text: string): string {
  return text === '' ? NO_SEGMENT : hash('sha256', text, 'hex').slice(0, 16)
}
