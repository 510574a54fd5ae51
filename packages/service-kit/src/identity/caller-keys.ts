import { endpointCallers } from '@ratchet/contracts/endpoint'
import { z } from 'zod'
import { type NamedKey, NamedKeys, parseNamedKeys, type SigningKey } from './identity.ts'

/** Reads `judging.k1:<base64>,judging.k0:<base64>`; the first key signs. @throws RangeError for anything else */
export function parseCallerKeys(text: string): readonly [SigningKey, ...SigningKey[]] {
  const entries = text.split(',').map((entry) => entry.trim())
  const [prefix = ''] = /^[a-z]+\./.exec(text.trim()) ?? []
  const caller = endpointCallers.find((name) => `${name}.` === prefix)
  if (caller === undefined || !entries.every((entry) => entry.startsWith(prefix))) {
    throw new RangeError('expected "<caller>.<id>:<base64 of 32 bytes>", comma-separated, of one caller')
  }
  const [first, ...rest] = parseNamedKeys(entries.map((entry) => entry.slice(prefix.length)).join(','))
  return [{ ...first, caller }, ...rest.map((key) => ({ ...key, caller }))]
}

/**
 * The keys with which a service signs for another one, in its configuration. During an upgrade from a release in which
 * callers had the callee's own keys, these are accepted as well: the callees must then have `ACCEPT_SHARED_KEYS`.
 */
export const CallerKeys = z.string().transform((text, context): readonly [SigningKey, ...SigningKey[]] => {
  const bare = text.replaceAll(/(^|,)\s*[a-z]+\./g, '$1')
  const { data, error } = NamedKeys.safeParse(bare)
  try {
    if (data !== undefined) return text === bare ? data : parseCallerKeys(text)
    for (const { message } of error.issues) context.addIssue({ code: 'custom', message })
  } catch (thrown) {
    context.addIssue({ code: 'custom', message: (thrown as Error).message })
  }
  return z.NEVER
})

/** The settings of a service that other processes call. */
export const calleeConfig = {
  /** The keys of this service. The edge signs with the first one; those of other callers are derived from them. */
  IDENTITY_KEYS: NamedKeys,
  /** Whether other services may sign with these keys too. Only during an upgrade from a release in which they did. */
  ACCEPT_SHARED_KEYS: z.stringbool().default(false),
}
const CalleeConfig = z.object(calleeConfig)

/** How a service verifies its callers. */
export interface Callee {
  readonly identityKeys: readonly NamedKey[]
  readonly acceptsSharedKeys?: boolean
}

export function readCallee({ IDENTITY_KEYS, ACCEPT_SHARED_KEYS }: z.output<typeof CalleeConfig>): Callee {
  return { identityKeys: IDENTITY_KEYS, acceptsSharedKeys: ACCEPT_SHARED_KEYS }
}
