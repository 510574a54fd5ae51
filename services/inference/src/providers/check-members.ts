import { isDeepStrictEqual } from 'node:util'
import type { Fields } from '@ratchet/service-kit/values/json'
import { unsupported } from '../wire/refusal.ts'

/**
 * How a member of a request's object is handled.
 *
 * - `honoured`: it is sent to the provider.
 * - `harmless`: it is left out, because the answer is the same without it.
 * - `only`: these values are what the provider does anyway; any other value is refused. The values of `labels` change
 *   neither the price nor the meaning of an answer, so a lenient request goes on without them.
 */
export type MemberRule =
  | 'honoured'
  | 'harmless'
  | { readonly only: readonly unknown[]; readonly labels?: 'any' | readonly unknown[] }

/** By name. Members without a rule are refused. */
export type MemberRules = ReadonlyMap<string, MemberRule>

export function memberRules(table: Readonly<Record<string, MemberRule>>): MemberRules {
  return new Map(Object.entries(table))
}

/**
 * Checks all members of an object against the rules. Null counts as absent.
 *
 * @param path of the object, empty for the body
 * @throws Refusal naming the first member that does not
 */
export function checkMembers(object: Fields, path: string, rules: MemberRules): void {
  for (const [name, value] of Object.entries(object)) {
    if (value === null || value === undefined) continue
    const rule = rules.get(name)
    if (rule === undefined) throw unsupported(memberPath(path, name))
    if (typeof rule === 'string' || rule.only.some((known) => isDeepStrictEqual(known, value))) continue
    throw unsupported(memberPath(path, name), 'the provider supports only its default')
  }
}

/** Names from outside are cut to a length that can be shown. */
function memberPath(path: string, name: string): string {
  return `${path === '' ? '' : `${path}.`}${name.slice(0, 64)}`
}
