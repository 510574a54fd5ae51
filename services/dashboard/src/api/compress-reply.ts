import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { constants, createGzip, type Gzip } from 'node:zlib'

interface Reply {
  readonly request: Pick<IncomingMessage, 'method' | 'headers'>
  readonly status: number
  readonly headers: IncomingHttpHeaders
}

/** Shorter replies are not worth it. Those without a length are written in pieces, because they may be long. */
const minBytes = 16_384

/**
 * Compresses a long JSON reply for a browser, to about a tenth. Null for a reply that is sent as it is: a short one, one that
 * something compares by its version, a stream or a file.
 */
export function compressorFor({ request, status, headers }: Reply): Gzip | null {
  const isJson = /^application\/json(?:$|;)/.test(headers['content-type'] ?? '')
  const isPlain = headers['content-encoding'] === undefined && headers.etag === undefined
  const isLong = Number(headers['content-length'] ?? minBytes) >= minBytes
  const isRead = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  if (request.method !== 'GET' || status !== 200 || !isJson || !isPlain || !isLong || !isRead) return null
  return createGzip({ level: constants.Z_BEST_SPEED })
}

/** The headers of a compressed reply. */
export function compressedHeaders({
  'content-length': _length,
  ...headers
}: Record<string, string | string[]>): Record<string, string | string[]> {
  return { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' }
}
