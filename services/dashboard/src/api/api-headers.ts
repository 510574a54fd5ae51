import type { IncomingHttpHeaders } from 'node:http'
import type { Brand } from '@ratchet/contracts/brand'

/** Headers of the browser that the API reads. Cookies and keys are not among them. */
const passed = [
  'accept',
  'accept-language',
  'content-encoding',
  'content-length',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'range',
  'traceparent',
  'tracestate',
] as const

/** The headers of a call to the API. */
export function callHeaders(headers: IncomingHttpHeaders, brand: Brand): Record<string, string> {
  const names = [...passed, ...Object.values(brand.headers).map((name) => name.toLowerCase())]
  const pairs = names.map((name) => [name, headers[name]] as const)
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}

/** Headers of an answer that belong to one connection, or that would change what the browser stores for the dashboard. */
const dropped = new Set([
  'connection',
  'content-security-policy',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'date',
  'server',
  'set-cookie',
  'strict-transport-security',
  'x-request-id',
])

/** The headers of an answer of the API, for the browser. */
export function answerHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(([name]) => !dropped.has(name) && !name.startsWith('access-control-'))
  return { 'cache-control': 'no-store', ...(Object.fromEntries(kept) as Record<string, string | string[]>) }
}
