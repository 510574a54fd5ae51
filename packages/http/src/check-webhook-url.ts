import { type BaseUrlRules, checkBaseUrl } from './check-base-url.ts'

/** The reason why messages cannot be sent to a URL from outside, or null when they can. It may have a query. */
export function webhookUrlProblem(url: string, rules: BaseUrlRules): string | null {
  const { base, query } = splitQuery(url)
  const checked = checkBaseUrl(base, rules)
  if (checked.kind === 'refused') return isLocalHttp(base) ? localHttpReason : checked.reason
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

/** What a person tries first, who has a receiver on the same machine. */
function isLocalHttp(base: string): boolean {
  const rules = { customHosts: false, allowedHosts: new Set<string>(), loopbackHttp: true }
  return base.startsWith('http://') && checkBaseUrl(base, rules).kind === 'ok'
}

const localHttpReason =
  'plain http goes to the same machine only from a fleet of `npm start`; use https, or ask the operator for WEBHOOK_LOOPBACK_HTTP=on'
