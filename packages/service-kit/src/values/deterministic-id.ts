import { hash } from 'node:crypto'

/**
 * Derives an id from these parts, the same in every process: a UUIDv8 (RFC 9562) of their SHA-256. Each part is hashed
 * with its length, so that different lists of parts never have the same bytes.
 */
export function deterministicId(...parts: readonly string[]): string {
  return idOfText(parts.map((part) => `${Buffer.byteLength(part, 'utf8')}:${part}`).join(''))
}

/** Derives an id from one text, the same in every process: a UUIDv8 (RFC 9562) of its SHA-256. */
export function idOfText(text: string): string {
  return uuidV8Of(hash('sha256', text, 'hex'))
}

/** The UUIDv8 that begins with these digits, apart from its version and its variant. */
function uuidV8Of(hex: string): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
