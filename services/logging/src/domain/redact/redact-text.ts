import { findSecrets, shortestSecret } from './find-secrets.ts'
import { type Kind, mergeSpans, type SecretSpan } from './secret-span.ts'
import type { SecretScope } from './text-view.ts'
import { type Unescaped, unescapeBackslashes, unescapeWeb } from './unescape.ts'

/** A text without its secrets, and how many of each kind it had. */
export interface RedactedText {
  readonly text: string
  readonly found: ReadonlyMap<Kind, number>
}

/** What stands where a secret stood. */
export const redactionMark = '[redacted]'

const everything: SecretScope = { shapedOnly: false }
const nothing: ReadonlyMap<Kind, number> = new Map()
/** JSON in a string in JSON: deeper than this nobody quotes. */
const escapeLevels = 3
/** What a secret had hidden may show once it is gone. */
const passes = 4

/**
 * Puts `[redacted]` in place of every credential that a text holds, also where it is escaped. Takes time proportional
 * to the length of the text whatever it holds; never throws. A text without a secret comes back as the same string.
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

/** The secrets of a text as it is written, and of what it becomes when its escapes are undone. */
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
