import { type Alphabet, alphabets } from '../secrets/alphabets.ts'
import type { TokenRule } from '../secrets/token-rule.ts'
import gitleaks from './gitleaks.json' with { type: 'json' }

/** Formats of keys that gitleaks knows. `npm run redaction-patterns` writes them, and says why some of its rules are left out. */
export const gitleaksTokens: readonly TokenRule[] = gitleaks.tokens.map((token) => {
  const { kind, prefixes, characters, min, max, entropy, strict } = token
  const rule = { kind, prefixes, body: alphabetWith(characters), min, pattern: new RegExp(`^${token.pattern}`) }
  return {
    ...rule,
    ...(max === undefined ? {} : { max }),
    ...(entropy === undefined ? {} : { minEntropy: entropy }),
    ...(strict === undefined ? {} : { strict: true }),
    // The name of a cookie is not a secret.
    ...(prefixes.every((prefix) => prefix.endsWith('=')) ? { keepPrefix: true } : {}),
  }
})

/** The smallest alphabet with all of the characters. */
function alphabetWith(characters: string): Alphabet {
  const fitting = Object.values(alphabets)
    .filter(({ members }) => [...characters].every((each) => members[each.charCodeAt(0)] === 1))
    .toSorted((a, b) => sizeOf(a) - sizeOf(b))
  const [smallest] = fitting
  if (smallest === undefined) throw new Error(`No alphabet contains all of ${characters}`)
  return smallest
}

function sizeOf({ members }: Alphabet): number {
  return members.reduce((sum, member) => sum + member, 0)
}
