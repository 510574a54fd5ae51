import { brandOf } from '@ratchet/contracts/brand'
import { parseUsd } from '@ratchet/contracts/money'
import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { CliError } from './cli-error.ts'
import { type CliIo, envValue } from './cli-io.ts'

/*
 * Parsers for option values. Commander puts the option's name in front of what they say.
 */

const amountMaxUsd = 1_000_000_000
const nanoPerMicro = 1_000n

const Slug = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/)
const Email = z.email().max(254)
const Text = z.string().regex(/^[^\p{C}]{1,200}$/u)
const Id = z.uuid()

export function parseSlug(value: string): string {
  return checked(Slug, value, 'Expected 1 to 40 lower-case letters, digits and inner dashes.')
}

/** E-mail addresses are kept in lower case, so that one person is one user. */
export function parseEmail(value: string): string {
  return checked(Email, value, 'Expected an e-mail address.').toLowerCase()
}

/** A name, reference or reason. */
export function parseText(value: string): string {
  return checked(Text, value.trim(), 'Expected 1 to 200 printable characters.')
}

export function parseId(value: string): string {
  return checked(Id, value, 'Expected an id such as list-keys prints.').toLowerCase()
}

/** Nano-dollars of an amount that can be credited. */
export function parseAmount(value: string): bigint {
  const expected = `Expected US dollars such as 25.00, above 0, at most ${amountMaxUsd}, with at most 6 decimals.`
  try {
    const nano = parseUsd(value)
    if (nano > 0n && nano <= BigInt(amountMaxUsd) * 10n ** 9n && nano % nanoPerMicro === 0n) return nano
  } catch {
    // Not a number at all: the same answer.
  }
  throw new InvalidArgumentError(expected)
}

/**
 * What the deployment's keys begin with, from BRAND_WORD.
 *
 * @throws CliError when the word could not be one.
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
