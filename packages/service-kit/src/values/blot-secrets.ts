/** Shortest secret whose occurrences are blotted out. Shorter ones would blot out ordinary words. */
const minBlottedLength = 6
/** Shortest part of one: a key without the scheme in front of it, as in `Bearer …`. */
const minPartLength = 8
const blot = '[secret]'

/** A text without secrets that are known: as they are, without the scheme in front of them, and in the escapes of JSON. */
export function blotSecrets(text: string, secrets: readonly string[]): string {
  let shown = text
  // The longest first: one may be a part of another.
  const parts = secrets.flatMap((secret) => secret.split(/\s+/).filter(({ length }) => length >= minPartLength))
  const whole = secrets.filter(({ length }) => length >= minBlottedLength)
  for (const secret of [...new Set([...whole, ...parts])].sort((a, b) => b.length - a.length)) {
    shown = shown.replaceAll(secret, blot)
    const inJson = JSON.stringify(secret).slice(1, -1)
    if (inJson !== secret) shown = shown.replaceAll(inJson, blot)
  }
  return shown
}
