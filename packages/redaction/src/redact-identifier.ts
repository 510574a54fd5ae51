import { redactText } from './redact-text.ts'

/**
 * An identifier, such as a tag, a trace id or the name of a property, without secrets. Only text whose own form shows that it
 * is a secret is replaced, because an identifier has no words around it that say what it is.
 */
export function redactIdentifier(identifier: string): string {
  return redactText(identifier, { shapedOnly: true }).text
}

/** The same for an identifier that may be missing. */
export function redactOptional(identifier: string | null | undefined): string | null {
  return identifier === null || identifier === undefined ? null : redactIdentifier(identifier)
}
