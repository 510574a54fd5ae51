import { brandOf } from '@ratchet/contracts/brand'
import { parseUsd } from '@ratchet/contracts/money'
import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { CliError } from './cli-error.ts'
import { type CliIo, envValue } from './cli-io.ts'

/*
 * Parsers of option values. Commander writes the option's name before their messages.
 */

const amountMaxUsd = 1_000_000_000
const nanoPerMicro = 1_000n

const Slug = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/)
const Email = z.email().max(254)
const Text = z.string().regex(/^[^\p{C}]{1,200}$/u)
const Id = z.uuid()
const Provider = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/)
const Variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)
const Models = z
  .array(z.string().regex(/^[\x21-\x7e]{1,256}$/))
  .min(1)
  .max(8)

/** Maximum of a Postgres `integer`. */
const limitMax = 2 ** 31 - 1

export function parseSlug(value: string): string {
  return checked(Slug, value, 'Expected 1 to 40 lower-case letters, digits and inner dashes.')
}

/** E-mail addresses are stored in lower case, so that one person is one user. */
export function parseEmail(value: string): string {
  return checked(Email, value, 'Expected an e-mail address.').toLowerCase()
}

/** A name, reference or reason. */
export function parseText(value: string): string {
  return checked(Text, value.trim(), 'Expected 1 to 200 printable characters.')
}

export function parseId(value: string): string {
  return checked(Id, value, 'Expected an id, as list-keys prints it.').toLowerCase()
}

/** Parses an amount that can be credited. Returns nano-dollars. */
export function parseAmount(value: string): bigint {
  const expected = `Expected US dollars such as 25.00, above 0, at most ${amountMaxUsd}, with at most 6 decimals.`
  try {
    const nano = parseUsd(value)
    if (nano > 0n && nano <= BigInt(amountMaxUsd) * 10n ** 9n && nano % nanoPerMicro === 0n) return nano
  } catch {
    // Not a number: the same message as below.
  }
  throw new InvalidArgumentError(expected)
}

/** `on` or `off`. */
export function parseSwitch(value: string): boolean {
  if (value !== 'on' && value !== 'off') throw new InvalidArgumentError('Expected on or off.')
  return value === 'on'
}

/** Whether repoints of aliases require evidence. */
export function parsePolicy(value: string): 'off' | 'enforce' {
  if (value !== 'off' && value !== 'enforce') throw new InvalidArgumentError('Expected off or enforce.')
  return value
}

export function parseRetention(value: string): number {
  if (!['7', '30', '90'].includes(value)) throw new InvalidArgumentError('Expected 7, 30 or 90 days.')
  return Number(value)
}

/** A value that may be null. It is wrapped, because Commander takes null for a missing value. */
export interface Limit {
  /** `none` or `default` gives null. */
  readonly perMinute: number | null
}

export function parseLimit(value: string): Limit {
  return limitOr('none', value)
}

export function parseGuard(value: string): Limit {
  return limitOr('default', value)
}

function limitOr(noLimit: string, value: string): Limit {
  if (value === noLimit) return { perMinute: null }
  const limit = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : Number.NaN
  if (limit <= limitMax) return { perMinute: limit }
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${limitMax}, or ${noLimit}.`)
}

/** Gigabytes. It is wrapped, because Commander takes null for a missing value. */
export interface StorageQuota {
  /** `default` gives null. */
  readonly gigabytes: number | null
}

const maxGigabytes = 100_000

export function parseStorage(value: string): StorageQuota {
  if (value === 'default') return { gigabytes: null }
  const gigabytes = /^[1-9]\d{0,5}$/.test(value) ? Number(value) : Number.NaN
  if (gigabytes <= maxGigabytes) return { gigabytes }
  throw new InvalidArgumentError(`Expected a whole number of gigabytes from 1 to ${maxGigabytes}, or default.`)
}

/** Model names in order; `none` gives an empty list. */
export function parseModels(value: string): readonly string[] {
  const names = value === 'none' ? [] : value.split(',').map((name) => name.trim())
  const areDifferent = new Set(names).size === names.length
  if (value === 'none' || (areDifferent && Models.safeParse(names).success)) return names
  throw new InvalidArgumentError('Expected 1 to 8 different model names with commas between them, or none.')
}

/** Scheme, host and port, as browsers name an origin. */
export function parseOrigin(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null
  if (url !== null && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(value))
    return url.origin
  throw new InvalidArgumentError('Expected scheme, host and port, such as https://ratchet.example.com.')
}

export function parseProvider(value: string): string {
  return checked(Provider, value, 'Expected a provider of the model catalog, such as openai.')
}

export function parseVariable(value: string): string {
  return checked(Variable, value, 'Expected the name of an environment variable.')
}

/**
 * Returns the prefix of the deployment's API keys, from BRAND_WORD.
 *
 * @throws CliError for an invalid word
 */
export function keyPrefixOf(env: CliIo['env']): string {
  try {
    return brandOf(envValue(env, 'BRAND_WORD')).keyPrefix
  } catch (cause) {
    throw new CliError(`BRAND_WORD: ${(cause as Error).message}`, { exitCode: 2, cause })
  }
}

function checked(schema: z.ZodType<string>, value: string, expected: string): string {
  if (!schema.safeParse(value).success) throw new InvalidArgumentError(expected)
  return value
}

/** When a key expires. It is wrapped, because Commander takes null for a missing value. */
export interface Expiry {
  /** From now; `none` gives null. */
  readonly days: number | null
}

export function parseExpiry(value: string): Expiry {
  return { days: value === 'none' ? null : parseDays(value) }
}

export function expiryOf({ days }: Expiry, now: Date): Date | null {
  return days === null ? null : new Date(now.getTime() + days * 86_400_000)
}

/** Globs over models and aliases; `all` gives an empty list. */
export function parseGlobs(value: string): readonly string[] {
  const globs = value === 'all' ? [] : value.split(',').map((glob) => glob.trim())
  if (globs.length <= 50 && globs.every((glob) => /^[\x21-\x7e]{1,200}$/.test(glob))) return globs
  throw new InvalidArgumentError('Expected 1 to 50 names or globs with commas between them, or all.')
}

export function parseVoiceEnvironment(value: string): 'live' | 'test' {
  if (value === 'live' || value === 'test') return value
  throw new InvalidArgumentError('Expected live or test.')
}

/** Days from now, 1 to 3,650. */
export function parseDays(value: string): number {
  if (/^[1-9]\d{0,3}$/.test(value) && Number(value) <= 3_650) return Number(value)
  throw new InvalidArgumentError('Expected 1 to 3650 days.')
}
