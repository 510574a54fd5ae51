import { alphabets } from './alphabets.ts'
import { TextView } from './text-view.ts'
import { type TokenRule, tokenEnd } from './token-rule.ts'

interface Encoding {
  readonly name: 'base64' | 'hex'
  readonly body: TokenRule['body']
  /** Number of bits that one character encodes. */
  readonly bits: number
}

const encodings: readonly Encoding[] = [
  { name: 'base64', body: alphabets.anyBase64, bits: 6 },
  { name: 'hex', body: alphabets.hex, bits: 4 },
]
/** Minimum length of a prefix: shorter ones determine too few characters of the encoded text. */
const minPrefixLength = 4

/**
 * Rules for tokens that are encoded alone, as in a Secret of Kubernetes. Their encoded text begins with that of their
 * prefix. A token in the middle of a longer encoded text is not found.
 */
export function encodedTokens(rules: readonly TokenRule[]): readonly TokenRule[] {
  const plain = rules.filter(({ strict, keepPrefix }) => strict !== true && keepPrefix !== true)
  return plain.flatMap((rule) =>
    rule.prefixes
      .filter((prefix) => prefix.length >= minPrefixLength)
      .flatMap((prefix) => encodings.map((encoding) => encodedToken(rule, prefix, encoding))),
  )
}

function encodedToken(rule: TokenRule, prefix: string, { name, body, bits }: Encoding): TokenRule {
  const encoded = Buffer.from(prefix)
    .toString(name)
    .slice(0, Math.floor((prefix.length * 8) / bits))
  const min = Math.ceil(((prefix.length + rule.min) * 8) / bits) - encoded.length
  return {
    kind: rule.kind,
    prefixes: [encoded],
    body,
    min,
    accepts: (rest) => isToken(rule, prefix, encoded + rest, name),
  }
}

function isToken(rule: TokenRule, prefix: string, encoded: string, name: Encoding['name']): boolean {
  const text = Buffer.from(encoded, name).toString('latin1')
  if (!text.startsWith(prefix)) return false
  const units = Uint16Array.from({ length: text.length + 1 }, (_, at) => (at < text.length ? text.charCodeAt(at) : 0))
  return tokenEnd(new TextView(text, units, { shapedOnly: false }), rule, prefix, 0) >= 0
}
