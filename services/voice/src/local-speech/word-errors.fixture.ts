/** Words of a text as they sound: without case, punctuation and hyphens. */
export function soundsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll('to-morrow', 'tomorrow')
    .replace(/[^a-z0-9' ]+/g, ' ')
    .split(/\s+/)
    .filter(Boolean)
}

/** Words that were left out, added or wrong. */
export function wordErrors(said: readonly string[], heard: readonly string[]): number {
  let before = Array.from({ length: heard.length + 1 }, (_, i) => i)
  for (const [i, word] of said.entries()) {
    const row = [i + 1]
    for (const [j, other] of heard.entries()) {
      row.push(Math.min((before[j] ?? 0) + (word === other ? 0 : 1), (before[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1))
    }
    before = row
  }
  return before.at(-1) ?? 0
}
