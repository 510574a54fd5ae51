import { createCodeUnits } from '../code-units.ts'
import { alphabets, isAlnum } from './alphabets.ts'
import {
  argumentSecretAt,
  assignedSecretAt,
  attachedUserAt,
  flaggedSecretAt,
  isNamed,
  userArgumentAt,
} from './assigned-secret-at.ts'
import { CandidateScan, unsignedLength } from './candidate-scan.ts'
import { commandPasswordAt } from './command-password-at.ts'
import { cookieValueAt, noteCookieFlag, noteCookieHeader } from './cookie-values.ts'
import { pgpassAt } from './pgpass-at.ts'
import { privateKeyAt } from './private-key-at.ts'
import type { SecretSpan } from './secret-span.ts'
import { awsSecretAfter, azureClientSecretAt, shapedSecretAt, telegramAt } from './shaped-secrets.ts'
import { type SecretScope, TextView } from './text-view.ts'
import { type TokenPrefix, tokenPrefixes } from './token-prefixes.ts'
import { tokenEnd } from './token-rule.ts'
import { urlPasswordAt } from './url-password-at.ts'

/** Values shorter than this are searched again, so that a token in them is reported by its own kind. */
const longSecret = 512
/** The shortest text that can contain a secret, `a://b:c@`, has so many characters. */
export const shortestSecret = 8

const memory = createCodeUnits()

/**
 * Finds every secret of a text in one pass from left to right. Spans may overlap and touch. Escapes are not undone here.
 */
export function findSecrets(text: string, scope: SecretScope): SecretSpan[] {
  const spans: SecretSpan[] = []
  if (text.length < shortestSecret) return spans
  const units = memory.load(text)
  const scan = new CandidateScan(units, text.length, scope)
  let view: TextView | null = null
  for (let at = scan.next(0); at < text.length; ) {
    view ??= new TextView(text, units, scope)
    const found = isAlnum(units[at] as number) ? secretAtWord(view, at, scan.end) : secretAtSign(view, at)
    if (found === null) {
      // Secrets begin where a word begins, so the rest of the word is skipped.
      at = scan.next(scan.end)
      continue
    }
    spans.push(found)
    if (found.kind === 'aws_access_key') pushIfAny(spans, awsSecretAfter(view, found.end))
    at = scan.next(found.start > at && found.end - found.start <= longSecret ? at + 1 : found.end)
  }
  return spans
}

function secretAtWord(view: TextView, at: number, end: number): SecretSpan | null {
  const { text } = view
  const second = text.charCodeAt(at + 1)
  const candidates = second < 128 ? tokenPrefixes[text.charCodeAt(at) * 128 + second] : undefined
  if (candidates !== undefined) {
    const found = prefixedSecretAt(view, at, candidates)
    if (found !== null) return found
  }
  const found = shapedSecretAt(view, at, end)
  if (found !== null || view.shapedOnly) return found
  if (end - at === 2) return text.startsWith('is ', at) ? assignedSecretAt(view, at, at + 1) : null
  return commandPasswordAt(view, at)
}

function prefixedSecretAt(view: TextView, at: number, candidates: readonly TokenPrefix[]): SecretSpan | null {
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

/** What stands beside the sign was checked when the candidate was found. */
function secretAtSign(view: TextView, at: number): SecretSpan | null {
  switch (view.text.charCodeAt(at)) {
    case 0x3a: // :
      return urlPasswordAt(view, at) ?? telegramAt(view, at) ?? (view.shapedOnly ? null : secretAtColon(view, at))
    case 0x2c: // ,
      return argumentSecretAt(view, at)
    case 0x7e: // ~
      return azureClientSecretAt(view, at)
    case 0x2d: // -
      return secretAtDash(view, at)
    case 0x7c: // |
      return isNamed(view, at) && isLong(view, at + 2) ? assignedSecretAt(view, at) : null
    case 0x3d: // =
      return assignedSecretAt(view, at) ?? cookieValueAt(view, at)
    default: // a blank, a quote, > and the full-width colon
      return assignedSecretAt(view, at)
  }
}

function secretAtColon(view: TextView, at: number): SecretSpan | null {
  noteCookieHeader(view, at)
  return pgpassAt(view, at) ?? assignedSecretAt(view, at)
}

/** True when the value that begins here is long enough for a secret without a sign before it. */
function isLong(view: TextView, at: number): boolean {
  return view.runEnd(alphabets.bare, at, 1) - at >= unsignedLength
}

function secretAtDash(view: TextView, at: number): SecretSpan | null {
  const { text, shapedOnly } = view
  if (text.charCodeAt(at + 1) !== 0x2d) {
    return text.startsWith('-u ', at) ? userArgumentAt(view, at + 3) : attachedUserAt(view, at)
  }
  if (!isAlnum(text.charCodeAt(at + 2))) return privateKeyAt(view, at)
  if (shapedOnly) return null
  noteCookieFlag(view, at)
  const userFlag = userFlags.find((flag) => text.startsWith(flag, at))
  return userFlag === undefined ? flaggedSecretAt(view, at) : userArgumentAt(view, at + userFlag.length)
}

const userFlags = ['--user ', '--user=', '--proxy-user ', '--proxy-user='] as const

function pushIfAny(spans: SecretSpan[], span: SecretSpan | null): void {
  if (span !== null) spans.push(span)
}
