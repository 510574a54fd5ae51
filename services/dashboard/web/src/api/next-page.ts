import type { CallableEndpoint } from '@ratchet/contracts/client/endpoint-client'

/** The query of the page that follows `pages`: what a reply names as `next`, after the last item where the endpoint takes `after`, else by offset. */
export function nextPage(
  { query }: Pick<CallableEndpoint, 'query'>,
  pages: readonly { readonly data: readonly unknown[]; readonly next?: string | null }[],
): Record<string, string | number> {
  const next = pages.at(-1)?.next
  if (typeof next === 'string') return { after: next }
  const last = pages.at(-1)?.data.at(-1) as { readonly id?: string } | undefined
  const takesAfter = 'shape' in query && 'after' in (query.shape as object)
  if (takesAfter && last?.id !== undefined) return { after: last.id }
  return { offset: pages.reduce((sum, { data }) => sum + data.length, 0) }
}
