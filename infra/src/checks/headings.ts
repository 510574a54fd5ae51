/** The headings of a document: those of one level, or all. */
export function headings(markdown: string, level?: number): readonly string[] {
  const fenced = markdown.replaceAll(/^```[\s\S]*?^```/gm, '')
  const found = [...fenced.matchAll(/^(#+) (.+)$/gm)]
  return found.flatMap(([, marks = '', text = '']) => (level === undefined || marks.length === level ? [text] : []))
}

/** The anchor that GitHub gives to a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}
