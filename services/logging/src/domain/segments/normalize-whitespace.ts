/** The text with every run of white space as one space and none at its ends: what the miner compares. */
export function normalizeWhitespace(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
