/** A link of a text that nobody of the workspace wrote: only its words and its host are shown, and nothing can be followed. */
export function linkAsText(href: string | undefined): string {
  if (href === undefined || href === '') return ''
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(href)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return ` [${scheme}: link]`
  const host = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]+)/i.exec(href)?.[1]
  return host === undefined ? ' [link]' : ` [${host}]`
}

/** Marks that change the direction of the text around them, with which a text can show other words than it has. */
const directionMarks = /[\u202a-\u202e\u2066-\u2069]/g

/** The text with marks of direction made visible. */
export function withVisibleDirection(text: string): string {
  return text.replace(directionMarks, (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase()}]`)
}
