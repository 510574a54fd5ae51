import { isDeepStrictEqual } from 'node:util'
import type { Fields } from '../wire/chat/chat-chunk.ts'
import { unsupported } from '../wire/refusal.ts'

/**
 * What becomes of a member of a request's object: `honoured`, the provider is told of it · `harmless`, the answer is
 * the same without it · `only`, these values are what the provider does anyway, and any other is refused.
 */
export type MemberRule = 'honoured' | 'harmless' | { readonly only: readonly unknown[] }

/** By name; members that are not here are refused. */
export type MemberRules = ReadonlyMap<string, MemberRule>

export function memberRules(table: Readonly<Record<string, MemberRule>>): MemberRules {
  return new Map(Object.entries(table))
}

/**
 * Lets an object pass whose members all keep the rules. Null is as good as absent.
 *
 * @param path of the object, empty for the body
 * @throws Refusal naming the member that does not
 */
export function checkMembers(object: Fields, path: string, rules: MemberRules): void {
  for (const [name, value] of Object.entries(object)) {
    if (value === null || value === undefined) continue
    const rule = rules.get(name)
    if (rule === undefined) throw unsupported(memberPath(path, name))
    if (typeof rule === 'string' || rule.only.some((known) => isDeepStrictEqual(known, value))) continue
    throw unsupported(memberPath(path, name), 'the provider only has its default')
  }
}

/** Names from outside are cut to a length that can be shown. */
function memberPath(path: string, name: string): string {
  return `${path === '' ? '' : `${path}.`}${name.slice(0, 64)}`
}
