/** Replaces every run of white space by one space and trims the ends. The miner compares prompts in this form. */
export function normalizeWhitespace(text: string): string {
  // A single blank, which is nearly all of it, is left as it is: replacing each takes three times as long.
  return text.replace(/\s\s+|[^\S ]/g, ' ').trim()
}

/** The same, but a run that has a line break becomes one line break, so that both forms have the same length. */
export function normalizeLines(text: string): string {
  return text.replace(/\s\s+|[^\S \n]/g, (run) => (/[\n\r\u2028\u2029]/.test(run) ? '\n' : ' ')).trim()
}

/** {@link normalizeWhitespace} of a text whose lines are normalized. */
export function withoutLines(lined: string): string {
  return lined.replaceAll('\n', ' ')
}
