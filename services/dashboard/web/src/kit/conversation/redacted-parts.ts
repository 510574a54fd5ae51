/** What the log contains in place of a secret. */
const redactionMark = '[redacted]'

/** A text divided at the places of removed secrets; true stands for such a place. */
export function redactedParts(text: string): readonly (string | true)[] {
  return text
    .split(redactionMark)
    .flatMap((part, index): (string | true)[] => (index === 0 ? [part] : [true, part]))
    .filter((part) => part !== '')
}
