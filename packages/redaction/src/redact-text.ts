import { findSecrets, shortestSecret } from './secrets/find-secrets.ts'
import { type Kind, mergeSpans, type SecretSpan } from './secrets/secret-span.ts'
import type { SecretScope } from './secrets/text-view.ts'
import { type Unescaped, unescapeBackslashes, unescapeWeb } from './secrets/unescape.ts'

/** A redacted text and the number of secrets by kind. */
export interface RedactedText {
  readonly text: string
  readonly found: ReadonlyMap<Kind, number>
}

export const redactionMark = '[redacted]'

const everything: SecretScope = { shapedOnly: false }
const nothing: ReadonlyMap<Kind, number> = new Map()
/**
 * Levels of escaping that are undone: JSON inside a string of JSON, twice. Deeper nesting does not occur in practice.
 */
const escapeLevels = 3
/** A text is searched again after a replacement, because a secret may have hidden another one. */
const passes = 4

/**
 * Replaces every credential of a text by `[redacted]`, also where it is escaped. Takes time linear in the length of the
 * text, whatever it contains, and never throws. A text without a secret is returned unchanged.
 */
export function redactText(text: string, scope: SecretScope = everything): RedactedText {
  if (text.length < shortestSecret) return { text, found: nothing }
  let current = text
  let found = nothing
  for (let pass = 0; pass < passes; pass++) {
    const spans = mergeSpans(findEverywhere(current, { ...scope, levels: escapeLevels }))
    if (spans.length === 0) break
    current = replaceSpans(current, spans)
    found = tally(found, spans)
  }
  return { text: current, found }
}

interface Search extends SecretScope {
  /** How many more times backslashes may be undone. */
  readonly levels: number
}

/** Finds secrets in the text as written, and in the text with its escapes undone. */
function findEverywhere(text: string, { levels, shapedOnly }: Search): SecretSpan[] {
  const spans = findSecrets(text, { shapedOnly })
  if (levels === 0) return spans
  pushWritten(spans, unescapeBackslashes(text), { shapedOnly, levels: levels - 1 })
  if (levels === escapeLevels) pushWritten(spans, unescapeWeb(text), { shapedOnly, levels: 0 })
  return spans
}

function pushWritten(spans: SecretSpan[], unescaped: Unescaped | null, search: Search): void {
  if (unescaped === null) return
  for (const { start, end, kind } of findEverywhere(unescaped.text, search))
    spans.push({ ...unescaped.written(start, end), kind })
}

function replaceSpans(text: string, spans: readonly SecretSpan[]): string {
  const parts: string[] = []
  let done = 0
  for (const { start, end } of spans) {
    parts.push(text.slice(done, start), redactionMark)
    done = end
  }
  parts.push(text.slice(done))
  return parts.join('')
}

function tally(found: ReadonlyMap<Kind, number>, spans: readonly SecretSpan[]): ReadonlyMap<Kind, number> {
  const counts = new Map(found)
  for (const { kind } of spans) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}
