import { drop, type Leniency } from '../leniency.ts'
import { unsupported } from '../refusal.ts'

/** The version of Anthropic's API for clients that name none, and for translated requests. It accepts all that later ones do. */
export const usualVersion = '2023-06-01'

/** Versions whose answers have the same form. They differ in what they accept, which is the client's decision. */
const known: ReadonlySet<string> = new Set([usualVersion, '2026-10-21'])

/**
 * The version that a request is sent with.
 *
 * @param version of the client; undefined for the usual one
 * @throws Refusal for a version whose answers may not be readable, without leniency
 */
export function apiVersion(version: string | undefined, leniency: Leniency | undefined): string {
  if (version === undefined) return usualVersion
  if (known.has(version)) return version
  if (leniency === undefined) throw unsupported('anthropic-version', `it must be one of ${[...known].join(', ')}`)
  drop(leniency, `anthropic-version:${version}`)
  return usualVersion
}
