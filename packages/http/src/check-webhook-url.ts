import { type BaseUrlRules, checkBaseUrl } from './check-base-url.ts'

/** The reason why messages cannot be sent to a URL from outside, or null when they can. It may have a query. */
export function webhookUrlProblem(url: string, rules: BaseUrlRules): string | null {
  const { base, query } = splitQuery(url)
  const checked = checkBaseUrl(base, rules)
  if (checked.kind === 'refused') return checked.reason
  return /^[\x21\x24-\x7e]*$/.test(query) ? null : 'its query is not valid'
}

/**
 * A URL in the form in which it is checked and called: everything before the query, and the query with its question
 * mark.
 */
export function splitQuery(url: string): { readonly base: string; readonly query: string } {
  const at = url.indexOf('?')
  return at === -1 ? { base: url, query: '' } : { base: url.slice(0, at), query: url.slice(at) }
}
