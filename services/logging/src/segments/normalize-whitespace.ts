/** Replaces every run of white space by one space and trims the ends. The miner compares prompts in this form. */
export function normalizeWhitespace(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
