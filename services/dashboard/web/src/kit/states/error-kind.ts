import { ApiError, UnreachableError } from '../../api/api-error.ts'

/** What a page does about an error, by the answer's status and code. */
export type ErrorKind =
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'wallet' }
  | { readonly kind: 'not-permitted' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'logging-off' }
  | { readonly kind: 'changed-meanwhile' }
  | { readonly kind: 'checks'; readonly checks: readonly string[] }
  | { readonly kind: 'too-many'; readonly seconds: number | null }
  | { readonly kind: 'busy' }
  | { readonly kind: 'other' }

export function errorKindOf(error: unknown): ErrorKind {
  if (error instanceof UnreachableError) return { kind: 'unreachable' }
  if (!(error instanceof ApiError)) return { kind: 'other' }
  const { status, code } = error
  if (code === 'logging_disabled') return { kind: 'logging-off' }
  if (code === 'version_conflict') return { kind: 'changed-meanwhile' }
  if (status === 402) return { kind: 'wallet' }
  if (status === 403) return { kind: 'not-permitted' }
  if (status === 404) return { kind: 'not-found' }
  if (status === 412) return { kind: 'checks', checks: checksOf(error.details) }
  if (status === 429) return { kind: 'too-many', seconds: error.retryAfter }
  return [502, 503, 504].includes(status) ? { kind: 'busy' } : { kind: 'other' }
}

/** The sentences of the checks that an answer names, in whichever field it has them. */
function checksOf(details: Readonly<Record<string, unknown>>): readonly string[] {
  const lists = Object.values(details).filter(Array.isArray) as unknown[][]
  return lists.flat().flatMap((check) => {
    if (typeof check === 'string') return [check]
    const { detail, message, reason } = (check ?? {}) as Record<string, unknown>
    const text = detail ?? message ?? reason
    return typeof text === 'string' ? [text] : []
  })
}
