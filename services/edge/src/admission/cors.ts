import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Brand } from '@ratchet/contracts/brand'
import { CommaList } from '@ratchet/service-kit/process/comma-list'

/** Origins of pages that may call the API from a browser, or `*` for all; empty: none. */
export const CorsOrigins = CommaList.refine(
  (origins) => origins.every(isOrigin),
  'must be origins, comma-separated, or *: https://app.example.com,http://localhost:5173',
)

/**
 * Adds the headers that let a page of an allowed origin read the answer.
 *
 * @returns true for a preflight of such a page, which is answered then
 */
export interface Cors {
  (request: IncomingMessage, response: ServerResponse): boolean
  allows(origin: string): boolean
}

/**
 * Lets pages of these origins call the API. Cookies are never allowed: a page needs a key, as every other client.
 * Null when there are no origins; then browsers refuse such calls themselves.
 */
export function createCors(origins: readonly string[], { headers }: Pick<Brand, 'headers'>): Cors | null {
  if (origins.length === 0) return null
  const known = new Set(origins)
  const exposed = [...Object.values(headers), ...commonHeaders].join(', ')
  const allows = (origin: string) => known.has('*') || known.has(origin)
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { origin } = request.headers
    if (origin === undefined || !allows(origin)) return false
    response.setHeader('access-control-allow-origin', known.has('*') ? '*' : origin)
    if (!known.has('*')) response.setHeader('vary', 'Origin')
    const method = request.headers['access-control-request-method']
    if (request.method !== 'OPTIONS' || method === undefined) {
      response.setHeader('access-control-expose-headers', exposed)
      return false
    }
    response.writeHead(204, preflightHeaders(request.headers['access-control-request-headers'])).end()
    return true
  }
  return Object.assign(answer, { allows })
}

/**
 * Whether a WebSocket may be opened. Browsers apply no CORS to them, so the edge must. Some clients that are no browsers name
 * the address that they connect to as the origin.
 */
export function mayOpenSocket({ origin, host }: IncomingMessage['headers'], cors: Cors | null): boolean {
  return origin === undefined || hostOf(origin) === host || cors?.allows(origin) === true
}

/** Null for what is no origin. */
function hostOf(origin: string): string | null {
  return URL.parse(origin)?.host ?? null
}

/** Headers of answers besides those of the brand. */
const commonHeaders = [
  'X-Request-Id',
  'Retry-After',
  'Idempotent-Replay',
  ...['limit', 'remaining', 'reset'].flatMap((what) => [`x-ratelimit-${what}-requests`, `x-ratelimit-${what}-tokens`]),
]

const headerNames = /^[\w!#$%&'*+.^`|~, -]{0,2000}$/

/** Any header may be sent: the edge forwards those of its allow-list only. */
function preflightHeaders(asked = ''): Readonly<Record<string, string>> {
  return {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    ...(asked !== '' && headerNames.test(asked) ? { 'access-control-allow-headers': asked } : {}),
    'access-control-max-age': '600',
  }
}

function isOrigin(text: string): boolean {
  if (text === '*') return true
  try {
    return new URL(text).origin === text
  } catch {
    return false
  }
}
