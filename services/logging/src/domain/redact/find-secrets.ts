import { alphabets, isAlnum } from './alphabets.ts'
import { assignedSecretAt, flaggedSecretAt, userArgumentAt } from './assigned-secret-at.ts'
import { cloudTokens } from './cloud-tokens.ts'
import { modelTokens } from './model-tokens.ts'
import { privateKeyAt } from './private-key-at.ts'
import type { Kind, SecretSpan } from './secret-span.ts'
import { serviceTokens } from './service-tokens.ts'
import { awsSecretAfter, azureClientSecretAt, shapedSecretAt, telegramAt } from './shaped-secrets.ts'
import { type TextView, viewText } from './text-view.ts'
import { type TokenRule, tokenEnd } from './token-rule.ts'
import { urlPasswordAt } from './url-password-at.ts'

interface Prefix {
  readonly prefix: string
  readonly second: number
  readonly rule: TokenRule<Kind>
}

const unsignedLength = 8
/** What a shorter value holds is looked at once more, lest a token be known by its name only. */
const longSecret = 512

const prefixesByFirst: readonly (readonly Prefix[])[] = groupPrefixes([
  ...modelTokens,
  ...cloudTokens,
  ...serviceTokens,
])

/**
 * Every secret of a text as it is written, in one walk from left to right. Spans may overlap and touch; escapes are
 * not understood.
 */
export function findSecrets(text: string): SecretSpan[] {
  const view = viewText(text)
  const spans: SecretSpan[] = []
  for (let at = 0; at < text.length; ) {
    const found = isAlnum(text.charCodeAt(at)) ? secretAtWord(view, at) : secretAtSign(view, at)
    if (found === null) {
      at = stepOver(text, at)
    } else {
      spans.push(found)
      at = found.start > at && found.end - found.start <= longSecret ? at + 1 : found.end
      if (found.kind === 'aws_access_key') pushIfAny(spans, awsSecretAfter(view, found.end))
    }
  }
  return spans
}

/** Secrets begin where a word does, so the rest of a word need not be asked. */
function stepOver(text: string, at: number): number {
  let next = at + 1
  if (isAlnum(text.charCodeAt(at))) while (next < text.length && isAlnum(text.charCodeAt(next))) next++
  return next
}

function secretAtWord(view: TextView, at: number): SecretSpan | null {
  const { text } = view
  const second = text.charCodeAt(at + 1)
  for (const candidate of prefixesByFirst[text.charCodeAt(at)] ?? []) {
    if (candidate.second !== second || !text.startsWith(candidate.prefix, at)) continue
    const { prefix, rule } = candidate
    const end = tokenEnd(view, rule, prefix, at)
    if (end >= 0) return { start: rule.keepPrefix === true ? at + prefix.length : at, end, kind: rule.kind }
  }
  return shapedSecretAt(view, at) ?? (text.startsWith('is ', at) ? assignedSecretAt(view, at, at + 1) : null)
}

function secretAtSign(view: TextView, at: number): SecretSpan | null {
  const { text } = view
  switch (text.charCodeAt(at)) {
    case 0x3d: // =
    case 0xff1a: // full-width colon
      return assignedSecretAt(view, at)
    case 0x20: // blank
      return isAlnum(text.charCodeAt(at - 1)) && isLong(view, at + 1) ? assignedSecretAt(view, at) : null
    case 0x7c: // |
      return text.charCodeAt(at - 1) === 32 && isLong(view, at + 2) ? assignedSecretAt(view, at) : null
    case 0x3a: // :
      return urlPasswordAt(view, at) ?? telegramAt(view, at) ?? assignedSecretAt(view, at)
    case 0x22: // "
    case 0x27: // '
      return text.charCodeAt(at - 1) === 32 && isAlnum(text.charCodeAt(at - 2)) ? assignedSecretAt(view, at) : null
    case 0x3e: // >
      return isAlnum(text.charCodeAt(at - 1)) ? assignedSecretAt(view, at) : null
    case 0x7e: // ~
      return azureClientSecretAt(view, at)
    case 0x2d: // -
      return secretAtDash(view, at)
    default:
      return null
  }
}

/** Whether what begins here is long enough for a secret that nothing but its place gives away. */
function isLong(view: TextView, at: number): boolean {
  return view.runEnd(alphabets.bare, at, 1) - at >= unsignedLength
}

function secretAtDash(view: TextView, at: number): SecretSpan | null {
  const { text } = view
  if (text.charCodeAt(at - 1) === 0x2d) return null
  if (text.charCodeAt(at + 1) !== 0x2d) return text.startsWith('-u ', at) ? userArgumentAt(view, at + 3) : null
  if (text.startsWith('--user ', at)) return userArgumentAt(view, at + 7)
  return isAlnum(text.charCodeAt(at + 2)) ? flaggedSecretAt(view, at) : privateKeyAt(view, at)
}

function pushIfAny(spans: SecretSpan[], span: SecretSpan | null): void {
  if (span !== null) spans.push(span)
}

function groupPrefixes(rules: readonly TokenRule<Kind>[]): Prefix[][] {
  const groups: Prefix[][] = Array.from({ length: 128 }, () => [])
  for (const rule of rules) {
    for (const prefix of rule.prefixes)
      groups[prefix.charCodeAt(0)]?.push({ prefix, second: prefix.charCodeAt(1), rule })
  }
  return groups
}
