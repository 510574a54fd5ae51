import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'

/** What a handler reads of a request. It arrived over HTTP or in frames; Express's requests are of this type too. */
export interface ServedRequest {
  /** The request id, which is in every answer and log line. */
  id: string
  /** The route's pattern, for metrics. The route that matched sets it. */
  routeName?: string
  readonly method: string
  /** The target without its query. */
  readonly path: string
  /** The target as it was sent. */
  readonly originalUrl: string
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders
  on(event: 'data', listener: (bytes: Buffer) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  once(event: 'end' | 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
  pause(): unknown
}

/** What a handler writes its answer to. Express's responses, and those of Node's HTTP server, are of this type too. */
export interface ServedResponse {
  statusCode: number
  /** Whether the head was written, or is about to be sent with the first bytes of the body. */
  readonly headersSent: boolean
  /** Whether the client can no longer be answered: it disconnected, or its answer is complete. */
  readonly destroyed: boolean
  /** Whether it cannot be answered because the process between it and this one is lost; absent where that is unknown. */
  readonly isPeerLost?: boolean
  setHeader(name: string, value: string): unknown
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown
  /** @returns false when the client does not read; `drain` follows. `onSent` is called when the bytes were sent. */
  write(bytes: Buffer | string, onSent?: () => void): boolean
  end(bytes?: Buffer | string): unknown
  /** Cuts the answer. The client notices that it is incomplete. */
  destroy(): unknown
  once(event: 'close' | 'drain', listener: () => void): unknown
  off(event: 'close' | 'drain', listener: () => void): unknown
}
