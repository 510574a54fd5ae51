import { requestIdHeader } from '@ratchet/contracts/identity'
import type { Drain } from '@ratchet/service-kit/process/drain'
import type { ServiceHeaders } from './forwarded-call.ts'

/** Headers of an answer that are for one hop only, or that the edge writes itself. */
const dropped = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'date',
  'server',
  'x-powered-by',
  requestIdHeader,
])

/**
 * The head of a forwarded answer: the service's without hop-by-hop headers, with the security headers that it did not
 * set itself, and with `connection: close` while the edge drains. Alternating names and values, as `writeHead` reads
 * them.
 */
export function answerHead(
  headers: ServiceHeaders,
  requestId: string,
  { draining }: Pick<Drain, 'draining'>,
): string[] {
  const head = [requestIdHeader, requestId]
  const hopNames = hopNamesOf(headers.connection)
  for (const name in headers) {
    if (dropped.has(name) || name.startsWith('x-internal-') || hopNames?.includes(name)) continue
    append(head, name, headers[name])
  }
  if (headers['x-content-type-options'] === undefined) head.push('x-content-type-options', 'nosniff')
  if (headers['cache-control'] === undefined) head.push('cache-control', 'no-store')
  if (draining) head.push('connection', 'close')
  return head
}

function append(head: string[], name: string, value: string | string[] | undefined): void {
  if (typeof value === 'string') head.push(name, value)
  else if (value !== undefined) for (const one of value) head.push(name, one)
}

function hopNamesOf(connection: string | string[] | undefined): readonly string[] | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined
  return String(connection)
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
}
