import { commonPrefixes, kinds, leftOut } from './decisions.ts'
import { parsePattern } from './parse-pattern.ts'
import { charactersOf, lengthOf, patternSource, type TokenForm, tokenForms } from './token-forms.ts'

/** A rule as gitleaks writes it. */
export interface GitleaksRule {
  readonly id: string
  readonly regex?: string | undefined
  readonly entropy?: number | undefined
  readonly keywords?: readonly string[] | undefined
}

/** A token that is recognized by its beginning. */
export interface TokenPattern {
  readonly id: string
  readonly kind: string
  readonly prefixes: string[]
  /** Every character that may follow the prefix. */
  readonly characters: string
  /** Number of characters after the prefix. Without `max`, a longer run of the characters is the token as well. */
  readonly min: number
  readonly max?: number
  /** What must follow the prefix. */
  readonly pattern: string
  /** Minimum Shannon entropy of the token, in bits for each character. */
  readonly entropy?: number
  /** The rest must look generated, because words can have this form too. */
  readonly strict?: true
}

/** A service whose name before the word `key` says that the value is a secret. */
export interface ServiceName {
  readonly name: string
  /** Ids of the rules. */
  readonly rules: string[]
}

/** Gitleaks' rules in the form in which the engine of redaction reads them. */
export interface RedactionPatterns {
  readonly tokens: TokenPattern[]
  readonly services: ServiceName[]
  readonly leftOut: { readonly reason: string; readonly rules: readonly string[] }[]
}

/** What gitleaks accepts behind a token. */
const endings = [
  String.raw`(?:[\x60'"\s;]|\\[nr]|$|\b)`,
  String.raw`(?:[\x60'"\s;]|\\[nr]|$)`,
  String.raw`(?:[^\w-]|\z)`,
  String.raw`\b`,
]
/** What gitleaks accepts between the name of a service and the value. */
const assignment = String.raw`(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`
const minPrefix = 2
/** A value after the name of a service is recognized without the name when its own beginning is so long. */
const minDistinctivePrefix = 4
/** Words begin with a shorter prefix too, so the rest must look generated. */
const minPlainPrefix = 3
/** A token of any length is recognized from so many characters after its prefix, because short rests are words. */
const minVariableRest = 16
/**
 * Bits by which thresholds of entropy are lowered. At gitleaks' own, one random key of AWS in 4,000 would stay readable;
 * half a bit lower, none of 200,000 does.
 */
const entropyMargin = 0.5

/** @throws Error when a rule is neither usable nor left out by name, or when a decision names no rule */
export function translateRules(rules: readonly GitleaksRule[]): RedactionPatterns {
  const reasons = Object.entries(leftOut)
  const excluded = new Set(reasons.flatMap(([, ids]) => ids))
  for (const id of excluded) if (!rules.some((rule) => rule.id === id)) throw new Error(`No rule is called ${id}`)
  const tokens: TokenPattern[] = []
  const services = new Map<string, string[]>()
  for (const rule of rules.filter(({ id }) => !excluded.has(id))) {
    const found = tokensOf(rule)
    tokens.push(...found)
    if (found.length > 0) continue
    const names = serviceNames(rule)
    if (names.length === 0) throw new Error(`Rule ${rule.id} is not usable: add it to leftOut with a reason`)
    for (const name of names) services.set(name, [...(services.get(name) ?? []), rule.id])
  }
  return {
    // A token that begins like another one is tried first when it is longer.
    tokens: tokens.toSorted((a, b) => b.min - a.min),
    services: [...services].map(([name, ids]) => ({ name, rules: ids })),
    leftOut: reasons.map(([reason, ids]) => ({ reason, rules: ids })),
  }
}

function tokensOf(rule: GitleaksRule): TokenPattern[] {
  const { regex = '' } = rule
  const assigned = regex.indexOf(assignment)
  const value = assigned < 0 ? regex : regex.slice(assigned + assignment.length)
  const ending = endings.find((each) => value.endsWith(each))
  // `(?i)` at the beginning of a rule also holds for the value.
  const ignoreCase = assigned >= 0 && regex.startsWith('(?i)') ? '(?i)' : ''
  const parsed = parsePattern(ignoreCase + value.slice(0, value.length - (ending?.length ?? 0)))
  const least = assigned < 0 ? minPrefix : minDistinctivePrefix
  const forms = tokenForms(parsed).filter(({ prefix }) => prefix.length >= least && !commonPrefixes.has(prefix))
  const patterns: TokenPattern[] = []
  for (const form of forms) {
    const pattern = tokenPattern(rule, form, ending !== undefined)
    const alike = patterns.find((each) => each.pattern === pattern.pattern)
    if (alike === undefined) patterns.push(pattern)
    else alike.prefixes.push(form.prefix)
  }
  return patterns
}

function tokenPattern({ id, entropy }: GitleaksRule, { prefix, rest }: TokenForm, exact: boolean): TokenPattern {
  const { min, max } = lengthOf(rest)
  return {
    id,
    kind: kindOf(id),
    // The engine finds tokens where a word begins.
    prefixes: [prefix.replace(/^[^0-9A-Za-z]+/, '')],
    characters: charactersOf(rest),
    min: min < max ? Math.max(min, minVariableRest) : min,
    ...(exact && Number.isFinite(max) ? { max } : {}),
    pattern: patternSource(rest),
    ...(entropy === undefined ? {} : { entropy: entropy - entropyMargin }),
    ...(prefix.length < minPlainPrefix ? { strict: true } : {}),
  }
}

function kindOf(id: string): string {
  const known = Object.keys(kinds).find((start) => id === start || id.startsWith(`${start}-`))
  return known === undefined ? id.replaceAll('-', '_') : (kinds[known] ?? id)
}

/** The names of the service that stand before the value; those of several words are left out. */
function serviceNames({ regex = '', keywords = [] }: GitleaksRule): string[] {
  if (!regex.includes(assignment)) return []
  const [, written = ''] = /\(\?:(\w+)\)\(\?:\[ /.exec(regex) ?? []
  return [...new Set([...keywords, written])].filter((name) => /^[a-z][a-z0-9]{2,}$/.test(name))
}
