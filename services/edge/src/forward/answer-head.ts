import { requestIdHeader } from '@ratchet/contracts/identity'

/** The parts of an answer's head that are for one hop only, or that the edge writes itself. */
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

type ServiceHeaders = Readonly<Record<string, string | string[] | undefined>>

/**
 * The head of a forwarded answer: what the service said, without hop-by-hop headers, with the
 * security headers it did not set itself. Names and values in turn, as `writeHead` takes them.
 */
export function answerHead(headers: ServiceHeaders, requestId: string): string[] {
  const head = [requestIdHeader, requestId]
  const hopNames = hopNamesOf(headers.connection)
  for (const name in headers) {
    if (dropped.has(name) || name.startsWith('x-internal-') || hopNames?.includes(name)) continue
    append(head, name, headers[name])
  }
  if (headers['x-content-type-options'] === undefined) head.push('x-content-type-options', 'nosniff')
  if (headers['cache-control'] === undefined) head.push('cache-control', 'no-store')
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
