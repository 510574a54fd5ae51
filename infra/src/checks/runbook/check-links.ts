/** What a document points at that is not there: headings of its own, and files of the repository. */
export function brokenLinks(markdown: string, exists: (path: string) => boolean): readonly string[] {
  const anchors = new Set(headings(markdown).map(anchorOf))
  const links = [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  const code = [...markdown.matchAll(/`((?:infra|bench|services|packages|docs|k8s|test-e2e)\/[\w./-]+)`/g)]
  return [
    ...links.filter((target) => target.startsWith('#') && !anchors.has(target.slice(1))),
    ...links.filter((target) => /^\.\.?\//.test(target) && !exists(`docs/${target.replace(/#.*$/, '')}`)),
    ...code.flatMap(([, file = '']) => (exists(file) ? [] : [file])),
  ]
}

/** The headings of a document, of one level or of all. */
export function headings(markdown: string, level?: number): readonly string[] {
  const fenced = markdown.replaceAll(/^```[\s\S]*?^```/gm, '')
  const found = [...fenced.matchAll(/^(#+) (.+)$/gm)]
  return found.flatMap(([, marks = '', text = '']) => (level === undefined || marks.length === level ? [text] : []))
}

/** As GitHub makes them. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}
