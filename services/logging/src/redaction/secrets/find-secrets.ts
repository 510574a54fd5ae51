import { gitleaksTokens } from '../patterns/gitleaks-tokens.ts'
import { alphabets, isAlnum, isDigit } from './alphabets.ts'
import { assignedSecretAt, flaggedSecretAt, isNamed, userArgumentAt } from './assigned-secret-at.ts'
import { ownTokens } from './own-tokens.ts'
import { privateKeyAt } from './private-key-at.ts'
import type { SecretSpan } from './secret-span.ts'
import { awsSecretAfter, azureClientSecretAt, shapedSecretAt, telegramAt } from './shaped-secrets.ts'
import { type SecretScope, type TextView, viewText } from './text-view.ts'
import { type TokenRule, tokenEnd } from './token-rule.ts'
import { urlPasswordAt } from './url-password-at.ts'

const unsignedLength = 8
/** Values shorter than this are searched again, so that a token in them is reported by its own kind. */
const longSecret = 512
/** The shortest text that can contain a secret, `a://b:c@`, has so many characters. */
export const shortestSecret = 8

/** By character code: whether the character begins nothing, a word, or is a sign that a secret may follow. */
const roles = roleTable()
const word = 1
const sign = 2
const fullWidthColon = 0xff1a

const prefixes = groupPrefixes([...ownTokens, ...gitleaksTokens])

/**
 * Finds every secret of a text in one pass from left to right. Spans may overlap and touch. Escapes are not undone here.
 */
export function findSecrets(text: string, scope: SecretScope): SecretSpan[] {
  const spans: SecretSpan[] = []
  if (text.length < shortestSecret) return spans
  const view = viewText(text, scope)
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    const role = code < 128 ? roles[code] : code === fullWidthColon ? sign : 0
    if (role === 0) {
      at++
      continue
    }
    const end = role === word ? wordEnd(text, at) : at + 1
    const found = role === word ? secretAtWord(view, at, end) : secretAtSign(view, at)
    if (found === null) {
      // Secrets begin where a word begins, so the rest of the word is skipped.
      at = end
    } else {
      spans.push(found)
      at = found.start > at && found.end - found.start <= longSecret ? at + 1 : found.end
      if (found.kind === 'aws_access_key') pushIfAny(spans, awsSecretAfter(view, found.end))
    }
  }
  return spans
}

function wordEnd(text: string, from: number): number {
  let end = from + 1
  while (end < text.length && isAlnum(text.charCodeAt(end))) end++
  return end
}

function secretAtWord(view: TextView, at: number, end: number): SecretSpan | null {
  const { text } = view
  const second = text.charCodeAt(at + 1)
  const candidates = second < 128 ? prefixes[text.charCodeAt(at) * 128 + second] : undefined
  if (candidates !== undefined) {
    const found = prefixedSecretAt(view, at, candidates)
    if (found !== null) return found
  }
  const found = shapedSecretAt(view, at, end)
  if (found !== null || view.shapedOnly || end - at !== 2) return found
  return text.startsWith('is ', at) ? assignedSecretAt(view, at, at + 1) : null
}

function prefixedSecretAt(view: TextView, at: number, candidates: readonly Prefix[]): SecretSpan | null {
  const { text } = view
  const third = text.charCodeAt(at + 2)
  for (const { prefix, third: expected, last, rule } of candidates) {
    if (expected !== third && expected >= 0) continue
    if (text.charCodeAt(at + prefix.length - 1) !== last || !text.startsWith(prefix, at)) continue
    const end = tokenEnd(view, rule, prefix, at)
    if (end >= 0) return { start: rule.keepPrefix === true ? at + prefix.length : at, end, kind: rule.kind }
  }
  return null
}

function secretAtSign(view: TextView, at: number): SecretSpan | null {
  switch (view.text.charCodeAt(at)) {
    case 0x3a: // :
      return urlPasswordAt(view, at) ?? telegramAt(view, at) ?? (view.shapedOnly ? null : assignedSecretAt(view, at))
    case 0x7e: // ~
      return azureClientSecretAt(view, at)
    case 0x2d: // -
      return secretAtDash(view, at)
    default:
      return view.shapedOnly ? null : valueAtSign(view, at)
  }
}

function valueAtSign(view: TextView, at: number): SecretSpan | null {
  if (!isNamed(view, at)) return null
  const { text } = view
  const before = text.charCodeAt(at - 1)
  switch (text.charCodeAt(at)) {
    case 0x20: // blank
      return isAlnum(before) && mayFollowBlank(view, at + 1) ? assignedSecretAt(view, at) : null
    case 0x7c: // |
      return before === 32 && isLong(view, at + 2) ? assignedSecretAt(view, at) : null
    case 0x22: // "
    case 0x27: // '
      return before === 32 && isAlnum(text.charCodeAt(at - 2)) ? assignedSecretAt(view, at) : null
    case 0x3e: // >
      return isAlnum(before) ? assignedSecretAt(view, at) : null
    default: // = and the full-width colon
      return assignedSecretAt(view, at)
  }
}

/** True when the value that begins here is long enough for a secret without a sign before it. */
function isLong(view: TextView, at: number): boolean {
  return view.runEnd(alphabets.bare, at, 1) - at >= unsignedLength
}

/** True for a long value with a digit, or a possible authorization scheme before the secret. */
function mayFollowBlank(view: TextView, from: number): boolean {
  if (!isLong(view, from)) return false
  const { text } = view
  const end = view.runEnd(alphabets.bare, from, 1)
  for (let at = from; at < end; at++) if (isDigit(text.charCodeAt(at))) return true
  return text.charCodeAt(end) === 32 && text.charCodeAt(from) !== 0x2d
}

function secretAtDash(view: TextView, at: number): SecretSpan | null {
  const { text, shapedOnly } = view
  if (text.charCodeAt(at - 1) === 0x2d) return null
  const next = text.charCodeAt(at + 1)
  if (next !== 0x2d)
    return next === 0x75 && !shapedOnly && text.startsWith('-u ', at) ? userArgumentAt(view, at + 3) : null
  if (!isAlnum(text.charCodeAt(at + 2))) return privateKeyAt(view, at)
  if (shapedOnly) return null
  return text.startsWith('--user ', at) ? userArgumentAt(view, at + 7) : flaggedSecretAt(view, at)
}

function pushIfAny(spans: SecretSpan[], span: SecretSpan | null): void {
  if (span !== null) spans.push(span)
}

interface Prefix {
  readonly prefix: string
  /** Code of its third character; -1 when it has only two. */
  readonly third: number
  /** Code of its last character, where most prefixes with the same beginning differ. */
  readonly last: number
  readonly rule: TokenRule
}

/** Groups the prefixes by their first two characters, in the order of the rules. */
function groupPrefixes(rules: readonly TokenRule[]): (readonly Prefix[] | undefined)[] {
  const groups: Prefix[][] = Array.from({ length: 128 * 128 })
  for (const rule of rules) {
    for (const prefix of rule.prefixes) {
      const index = prefix.charCodeAt(0) * 128 + prefix.charCodeAt(1)
      const group = groups[index] ?? []
      const third = prefix.length > 2 ? prefix.charCodeAt(2) : -1
      group.push({ prefix, third, last: prefix.charCodeAt(prefix.length - 1), rule })
      groups[index] = group
    }
  }
  return groups
}

function roleTable(): Uint8Array {
  const table = new Uint8Array(128)
  for (let code = 0; code < 128; code++) if (isAlnum(code)) table[code] = 1
  for (const each of '= |:"\'>~-') table[each.charCodeAt(0)] = 2
  return table
}
