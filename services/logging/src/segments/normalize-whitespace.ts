/** Replaces every run of white space by one space and trims the ends. The miner compares prompts in this form. */
export function normalizeWhitespace(text: string): string {
  // A single blank, which is nearly all of it, is left as it is: replacing each takes three times as long.
  return text.replace(/\s\s+|[^\S ]/g, ' ').trim()
}
