import { textArray, wordArray } from '@ratchet/db/plain-statement'
import type { ChargedTokens, UsageLabels } from './ledger.ts'

/** Array literals of key ids, tags and aliases; no tag and no alias are empty texts. */
export function labelValues(items: readonly { readonly labels?: UsageLabels }[]): readonly string[] {
  return [
    wordArray(items.map(({ labels }) => labels?.keyId ?? 'NULL')),
    textArray(items.map(({ labels }) => labels?.tag ?? '')),
    textArray(items.map(({ labels }) => labels?.alias ?? '')),
  ]
}

/** An array literal of numbers of end users. */
export function endUserValues(items: readonly { readonly labels?: UsageLabels }[]): string {
  return wordArray(items.map(({ labels }) => labels?.endUserId ?? 'NULL'))
}

/** Array literals of prompt tokens and completion tokens. */
export function tokenValues(items: readonly { readonly tokens?: ChargedTokens }[]): readonly string[] {
  return [
    wordArray(items.map(({ tokens }) => (tokens === undefined ? 'NULL' : String(tokens.promptTokens)))),
    wordArray(items.map(({ tokens }) => (tokens === undefined ? 'NULL' : String(tokens.completionTokens)))),
  ]
}
