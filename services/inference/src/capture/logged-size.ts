import type { JsonScan } from '../wire/json/scan-json.ts'

/** Most bytes that messages, tools and response of a logged exchange have together. */
export const largestLogged = 512 * 1024

interface ScannedBody {
  readonly scan: JsonScan
}

/** Bytes of a chat request that count: its messages and its tools, as the client wrote them. */
export function loggedRequestBytes({ scan }: ScannedBody): number {
  return memberBytes(scan, 'messages') + memberBytes(scan, 'tools')
}

function memberBytes({ topLevel }: JsonScan, key: string): number {
  const span = topLevel.get(key)
  return span === undefined ? 0 : span.end - span.start
}
