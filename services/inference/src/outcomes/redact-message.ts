import { redactText } from '@ratchet/redaction/redact-text'
import { minPartLength, repeatsRequest } from './repeats-request.ts'

const maxCharacters = 500
/** Longer bodies are not searched, because a request must not stop the others. */
const maxSearchedBytes = 262_144
/** What comes after it in a message is not read. */
const maxReadCharacters = 1_000
const repeated = 'The provider refused the request. Its message repeats parts of the request and is not stored.'

/** Runs of characters of keys that contain digits and are long. */
const keyLike = /[A-Za-z0-9_\-+/=]{20,200}/g

/**
 * The message of an error as it may be stored: without what looks like a key or an address, and never with a part of the
 * request that is longer than a name.
 */
export function redactMessage(message: string, request: Buffer | null): string {
  const read = message.slice(0, maxReadCharacters)
  if (request !== null && repeats(read, request)) return repeated
  const words = redactText(read)
    .text.split(' ')
    .map((word) => (word.includes('@') ? '[redacted]' : word))
  const clean = words.join(' ').replace(keyLike, (run) => (/\d/.test(run) ? '[redacted]' : run))
  return storableText(clean.length > maxCharacters ? `${clean.slice(0, maxCharacters)}…` : clean)
}

/** A text that Postgres accepts in JSON: without NUL and without halves of characters. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

function repeats(message: string, request: Buffer): boolean {
  if (message.length < minPartLength) return false
  return request.length > maxSearchedBytes || repeatsRequest(message, request)
}
