import { parseSync } from '@swc/core'

export interface RegexLiteral {
  readonly source: string
  readonly flags: string
}

/** Finds every regular expression literal of a file. */
export function regexLiterals(code: string): readonly RegexLiteral[] {
  const found: RegexLiteral[] = []
  collect(parseSync(code, { syntax: 'typescript', target: 'es2024' }), found)
  return found
}

function collect(node: unknown, found: RegexLiteral[]): void {
  if (Array.isArray(node)) for (const each of node) collect(each, found)
  if (node === null || typeof node !== 'object' || Array.isArray(node)) return
  const { type, pattern, flags } = node as Readonly<Record<string, unknown>>
  if (type === 'RegExpLiteral') found.push({ source: String(pattern), flags: String(flags) })
  for (const value of Object.values(node)) collect(value, found)
}
