/** The key of an action that may be sent several times, and the content for which it was made. */
export interface ActKey {
  readonly content: string
  readonly key: string
}

/**
 * The idempotency key to send: the previous one while the content is the same, so that a repeated click or a retry acts once; a
 * new one as soon as the content changes.
 */
export function actKeyFor(previous: ActKey | null, input: unknown, makeKey: () => string): ActKey {
  const content = JSON.stringify(input ?? null)
  return previous?.content === content ? previous : { content, key: makeKey() }
}
