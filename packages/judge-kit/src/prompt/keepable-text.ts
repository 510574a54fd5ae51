/** A text of somebody else's as Postgres can keep it: without NUL and halves of characters, and at most so long. */
export function keepableText(text: string, longest: number): string {
  return text.replaceAll('\0', '').slice(0, longest).toWellFormed()
}
